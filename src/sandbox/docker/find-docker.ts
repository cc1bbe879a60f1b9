/** Containers as a backend: one for each policy, kept as long as the runtime. */
import path from 'node:path';

import { ToolFailure } from '../../core/errors.js';
import type { AbsolutePath } from '../../core/paths.js';
import type { SandboxSettings } from '../../core/sandbox-settings.js';
import type { Process } from '../../core/workspace.js';
import type { Backend, ConfinedStart } from '../backend.js';
import type { Candidate } from '../choose-backend.js';
import { findOwnProgram } from '../find-program.js';
import { keptByPolicy } from '../kept-by-policy.js';
import { nothingSeen } from '../nothing-seen.js';
import { createContainer } from './container.js';
import type { Container } from './container.js';
import { dockerGuarantees } from './guarantees.js';
import { probeEngine } from './probe-engine.js';
import type { Engine } from './probe-engine.js';

const ENGINES = ['docker', 'podman'] as const;

type DockerOptions = { readonly settings: SandboxSettings; readonly untrusted: readonly AbsolutePath[] };

export async function findDocker({ settings, untrusted }: DockerOptions): Promise<Candidate> {
  const reasons: string[] = [];
  for (const name of settings.containerEngine === undefined ? ENGINES : [settings.containerEngine]) {
    const file = path.isAbsolute(name) ? name : (findOwnProgram(name, untrusted) ?? name);
    if (!path.isAbsolute(file)) {
      reasons.push(`there is no program ${name}`);
      continue;
    }
    const found = await probeEngine(file);
    if (found.kind === 'works') return { kind: 'works', backend: dockerBackend(found, file) };
    reasons.push(found.reason);
  }
  return { kind: 'broken', name: 'docker', reason: reasons.join('; ') };
}

function dockerBackend(engine: Engine, file: string): Backend {
  const containers = keptByPolicy<Container>(async (policy) => {
    const container = await createContainer({ policy, engine, file, owner: `${process.pid}` });
    return { value: container, ended: container.ended };
  });
  return {
    name: 'docker',
    writeError: 'EROFS',
    guarantees: (policy) => dockerGuarantees(policy, engine),
    start: async (start) => nothingSeen(await spawnIn(await containers.get(start.policy), start)),
    close: () => containers.close(),
  };
}

async function spawnIn(container: Container, { command, workspace }: ConfinedStart): Promise<Process> {
  if (command.attached) throw new ToolFailure('a container does not share our terminal');
  const program = await workspace.prepare?.(command);
  if (program === undefined) throw new ToolFailure('programs of this workspace cannot be started in a container');
  if (command.terminal !== undefined) return spawnInTerminal(container, { command, workspace }, program);
  return container.spawn({ ...program, onOutput: command.onOutput, ...(command.signal && { signal: command.signal }) });
}

/** The engine's program brings the terminal inside, and runs in one that is made as for any other command. */
async function spawnInTerminal(
  container: Container,
  { command, workspace }: Pick<ConfinedStart, 'command' | 'workspace'>,
  program: Parameters<Container['terminal']>[0],
): Promise<Process> {
  const entry = await container.terminal(program);
  const started = await workspace.spawn({
    ...command,
    through: ({ cwd, env }) => ({ argv: entry.argv, cwd, env, descriptors: [] }),
  });
  const exit = started.exit.then(async (how) => {
    await entry.end();
    const refusal = entry.refusal();
    return refusal === undefined ? how : ({ kind: 'not_started', reason: refusal } as const);
  });
  return {
    ...started,
    exit,
    async end() {
      await entry.end();
      await started.end();
    },
  };
}
