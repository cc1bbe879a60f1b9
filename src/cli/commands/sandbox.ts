/** `tenon sandbox`: a command of one's own in the sandbox that a model's commands get. */
import path from 'node:path';

import { createCommandSandbox, resolvePath, runtimeOptions } from '../../index.js';
import type { CommandSandbox, Denial, Grant, ProcessExit, SandboxReport, Workspace } from '../../index.js';
import { readSettings, warn } from '../read-config.js';
import type { PolicyFlags } from '../read-config.js';
import { UsageError } from '../usage-error.js';
import { visible } from '../visible.js';
import { workspaceFolder } from '../workspace-folder.js';

export type SandboxFlags = Omit<PolicyFlags, 'askForApproval'> & {
  readonly backend?: string;
  readonly allowWrite: readonly string[];
  readonly allowHost: readonly string[];
  readonly watch: boolean;
  readonly preview?: boolean;
  readonly apply?: boolean;
};

export async function runInSandbox(command: readonly string[], flags: SandboxFlags): Promise<number> {
  if (command.length === 0) throw new UsageError('there is no command; write it after --');
  const reports: SandboxReport[] = [];
  const sandbox = await openSandbox(flags, (what) => reports.push(what));
  try {
    const attached = await sharesTerminal(sandbox);
    const staged = flags.preview === true || flags.apply === true;
    const exit = await (staged ? preview(sandbox, command, flags) : runIn(sandbox, command, attached));
    tell(reports, exit);
    return codeOf(exit);
  } finally {
    await sandbox.close();
  }
}

export async function openSandbox(
  flags: SandboxFlags,
  onReport: (what: SandboxReport) => void,
): Promise<CommandSandbox> {
  const cwd = path.resolve(workspaceFolder(flags.cd));
  const { backend: value } = flags;
  const backend = value === undefined ? [] : [{ key: 'sandbox_policy', value, label: `--backend ${value}` }];
  const { config, rules } = await readSettings(cwd, flags, backend);
  const options = runtimeOptions(config);
  return createCommandSandbox({
    ...options,
    // Programs speak to the user themselves here, so what they print is not looked at.
    sandbox: { ...options.sandbox, watchPaths: flags.watch },
    rules,
    cwd,
    grants: grantsFrom(flags, cwd),
    onReport,
  });
}

function grantsFrom({ allowWrite, allowHost }: SandboxFlags, cwd: string): readonly Grant[] {
  return [
    ...allowWrite.map((file): Grant => {
      if (file === '') throw new UsageError('--allow-write: the path is empty');
      return { kind: 'write', path: resolvePath(path.resolve(cwd) as never, file) };
    }),
    ...allowHost.map((host): Grant => ({ kind: 'connect', host })),
  ];
}

/** Says what is weaker than asked for, and whether the command gets our own streams: elsewhere it has its own. */
async function sharesTerminal(sandbox: CommandSandbox): Promise<boolean> {
  const confinement = await sandbox.confinement();
  if (confinement.kind !== 'available') return true;
  for (const lack of confinement.weaker) warn(`the sandbox ${confinement.backend} is weaker than asked for: ${lack}`);
  for (const { asked, opened } of confinement.widened) warn(`to allow ${asked}, all of ${opened} is opened`);
  for (const problem of confinement.warnings) warn(problem);
  return confinement.backend !== 'docker' && confinement.backend !== 'vm';
}

function runIn(sandbox: CommandSandbox, argv: readonly string[], attached: boolean): Promise<ProcessExit> {
  return runHere({ cwd: sandbox.cwd, spawn: (command) => sandbox.start(command) }, argv, attached);
}

async function preview(
  sandbox: CommandSandbox,
  command: readonly string[],
  { apply = false }: SandboxFlags,
): Promise<ProcessExit> {
  const { previewRun } = await import('../preview-run.js');
  return previewRun(await sandbox.stage(), { apply, run: (workspace) => runHere(workspace, command, true) });
}

async function runHere(
  workspace: Pick<Workspace, 'cwd' | 'spawn'>,
  argv: readonly string[],
  attached: boolean,
): Promise<ProcessExit> {
  const starting = workspace.spawn({ argv, cwd: workspace.cwd, attached, onOutput: print });
  // At a terminal the command gets Ctrl-C by itself, and what it does about it is its own affair. It may be there before
  // we hear of it, so nothing is left to the system from here on.
  const ignore = (): void => {};
  const end = (): void => void starting.then((started) => started.end(), ignore);
  process.on('SIGINT', ignore);
  for (const signal of ENDING) process.on(signal, end);
  try {
    const { exit } = await starting;
    return await exit;
  } finally {
    process.off('SIGINT', ignore);
    for (const signal of ENDING) process.off(signal, end);
  }
}

const ENDING = ['SIGTERM', 'SIGHUP'] as const;

/** A command with our own streams prints by itself; then only the sandbox speaks through here. */
function print(chunk: Uint8Array, stream: 'stdout' | 'stderr'): void {
  process[stream].write(chunk);
}

function tell(reports: readonly SandboxReport[], exit: ProcessExit): void {
  const failed = exit.kind !== 'exited' || exit.code !== 0;
  const lines = reports.flatMap((what): readonly string[] => {
    if (what.kind === 'failed') return [`sandbox could not start: ${what.reason}`];
    if (what.kind === 'reverted') return [`${what.path} is protected: that it was ${what.change} was undone`];
    return failed ? blocked(what) : [];
  });
  if (exit.kind === 'not_started' && !reports.some(({ kind }) => kind === 'failed')) lines.push(whyNot(exit.reason));
  for (const line of new Set(lines)) process.stderr.write(`tenon: ${visible(line)}\n`);
}

function blocked({ kind, target, proof }: Denial): readonly string[] {
  // Which host it was is not known, but that it wanted one is worth knowing.
  if (proof === 'inferred' && kind === 'connect') return ['the sandbox blocked the network; --allow-host opens a host'];
  if (kind === 'connect') return [`the sandbox blocked a connection to ${target}; --allow-host ${target} allows it`];
  if (kind === 'write') return [`the sandbox blocked a write to ${target}; --allow-write ${target} allows it`];
  return [`the sandbox blocked ${kind} ${target}`];
}

function whyNot(reason: string): string {
  return reason.replace(MISSING, '$1: there is no such program');
}

const MISSING = /^spawn (.*) ENOENT$/s;

function codeOf(exit: ProcessExit): number {
  switch (exit.kind) {
    case 'exited':
      return exit.code;
    case 'signalled':
      return 128 + exit.number;
    case 'not_started':
      return MISSING.test(exit.reason) ? 127 : NOT_STARTED;
  }
}

/** As `env`, `timeout` and others say that they could not start something. */
const NOT_STARTED = 125;
