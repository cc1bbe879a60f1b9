/** This machine as it is, unconfined: where calls run in full access, and what every sandbox starts from. */
import { DEFAULT_ENVIRONMENT_POLICY } from '../core/environment-policy.js';
import type { EnvironmentPolicy } from '../core/environment-policy.js';
import { messageOf } from '../core/errors.js';
import type { AbsolutePath } from '../core/paths.js';
import type { Command, Process, ProcessOwner, SandboxMark, Workspace } from '../core/workspace.js';
import { afterLogin, commandEnvironment } from './environment.js';
import { folderProblem } from './folder-problem.js';
import { createLedger } from './ledger.js';
import type { Claim } from './ledger.js';
import { signalGroup } from './launch.js';
import { loadPty } from './load-pty.js';
import type { Pty } from './load-pty.js';
import { localFiles } from './local-files.js';
import { createLoginShell } from './login-shell.js';
import { shellFinder } from './shell.js';
import { spawnInTerminal } from './spawn-in-terminal.js';
import type { StartedInTerminal } from './spawn-in-terminal.js';
import { notStarted, spawnWithPipes } from './spawn-with-pipes.js';
import type { Started } from './spawn-with-pipes.js';

export type LocalWorkspaceOptions = {
  /** Which variables commands get. */
  readonly environmentPolicy?: EnvironmentPolicy;
  /** False makes every shell a plain one. Default true. */
  readonly allowLoginShell?: boolean;
  /** Loads what makes terminals; throws where there is nothing. */
  readonly loadPty?: () => Pty;
};

/** How long a killed command is given before its children are looked for. */
const KILL_MS = 20;

export type LocalWorkspace = Workspace & ProcessOwner;

export function createLocalWorkspace(cwd: AbsolutePath, options: LocalWorkspaceOptions = {}): LocalWorkspace {
  const { environmentPolicy: policy = DEFAULT_ENVIRONMENT_POLICY, allowLoginShell = true } = options;
  const ledger = createLedger(`${process.pid}-${Math.random().toString(16).slice(2, 10)}`);
  const loginShell = createLoginShell({
    filter: (reported) => afterLogin(reported, policy),
    claim: () => ledger.claim('login'),
  });
  const childSpawn = lazily(async () => (await import('node:child_process')).spawn);
  const pty = lazily(options.loadPty ?? loadPty);
  // Once, with the first command: reading it costs a good part of what a command does.
  const environment = lazily(() => commandEnvironment(process.env, policy));

  async function spawn(command: Command): Promise<Process> {
    const { argv, env } = await loginShell.prepare(command.argv, environment());
    const claim = await ledger.claim(command.label);
    const { cwd: folder, onOutput } = command;
    const launch = { argv, cwd: folder, onOutput, env: { ...env, ...sandboxMarks(command.sandbox), ...claim.env } };
    if (command.terminal === undefined)
      return owned(spawnWithPipes({ ...launch, input: 'closed' }, await childSpawn()), claim);
    const problem = await folderProblem(folder);
    if (problem !== undefined) return owned(notStarted(problem), claim);
    try {
      return owned(await spawnInTerminal({ ...launch, terminal: command.terminal }, pty()), claim);
    } catch (error) {
      const notice = `no terminal can be had here (${firstLine(messageOf(error))}); it runs with plain pipes`;
      return owned(spawnWithPipes({ ...launch, input: 'open' }, await childSpawn()), claim, notice);
    }
  }

  return {
    cwd,
    files: localFiles,
    spawn,
    shellCommand: shellFinder(allowLoginShell),
    processes: () => ledger.processes(),
    close: () => ledger.close(),
  };
}

function owned(started: Started | StartedInTerminal, claim: Claim, notice?: string): Process {
  claim.started(started.pid);
  const exit = started.exit.then((how) => {
    claim.ended();
    return how;
  });
  return {
    pid: started.pid,
    exit,
    notice,
    ...(started.write && { write: started.write }),
    ...('terminal' in started && { terminal: started.terminal }),
    interrupt: () => void signalGroup(started.pid, 'SIGINT'),
    async end() {
      started.kill();
      // Most commands are gone by then, and looking for what is left of them is done once.
      await Promise.race([exit, new Promise((resolve) => setTimeout(resolve, KILL_MS))]);
      await claim.end();
    },
  };
}

/** Set only when they are true, so that a program may simply ask whether they are there. */
function sandboxMarks(sandbox: SandboxMark | undefined): Record<string, string> {
  if (sandbox === undefined) return {};
  return { TENON_SANDBOX: sandbox.name, ...(!sandbox.network && { TENON_SANDBOX_NETWORK_DISABLED: '1' }) };
}

function lazily<Value>(load: () => Value): () => Value {
  let loaded: { readonly value: Value } | undefined;
  return () => (loaded ??= { value: load() }).value;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
