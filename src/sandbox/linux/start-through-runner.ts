/** Starts a command through the runner, and reads afterwards what the runner has to tell of it. */
import path from 'node:path';

import { absolutePath } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';
import type { Launch, Process, ProcessExit, Program as CommandProgram } from '../../core/workspace.js';
import type { ConfinedStart } from '../backend.js';
import { decodeAddress } from '../denials/addresses.js';
import type { ConnectionAttempt } from '../denials/connect-denials.js';
import { findProgram } from '../find-program.js';
import { exitFrom } from '../runner/exit-from.js';
import { errorName, stepProblem } from '../runner/outcome.js';
import type { RunnerOutcome, WatchedCall } from '../runner/outcome.js';
import { RUNNER_PATH } from '../runner/runner.js';
import type { LoadedProgram, Runner } from '../runner/runner.js';
import type { Beginning } from '../runner/program.js';
import { CHANGE_FOLDER, EXEC, becomeCommand } from './confinement-steps.js';
import { WATCHED_ENTRIES } from './watch-steps.js';

export type RunnerStart = Pick<ConfinedStart, 'command' | 'workspace'> & {
  readonly runner: Runner;
  /** Variables that only the confinement knows of. */
  readonly env: Readonly<Record<string, string>>;
  /** What the runner gets beside its program and itself, from 5 on. */
  readonly descriptors: readonly number[];
  /** What comes before the command. */
  readonly beginning: Beginning;
  /** The root folder in which its program is. Default: the machine's. */
  readonly root?: string;
  /** Stands before the runner, such as another launcher. Default: nothing. */
  readonly before?: readonly string[];
};

export type RunnerProcess = {
  readonly process: Process;
  /** Once it has ended. */
  told(exit: ProcessExit): Told;
};

type Told = {
  readonly exit: ProcessExit;
  readonly failure?: string;
  readonly connections: readonly ConnectionAttempt[];
  readonly paths: readonly AbsolutePath[];
};

export async function startThroughRunner(start: RunnerStart): Promise<RunnerProcess> {
  const { command, workspace, runner, descriptors, before = [] } = start;
  // The last is the command; before it come shells that read its profile.
  const all: LoadedProgram[] = [];
  let file = '';
  const through = (program: CommandProgram): Launch => {
    file = findProgram(program, start.root);
    const target = { file, argv: program.argv, cwd: program.cwd, env: { ...program.env, ...start.env } };
    const loaded = runner.load(becomeCommand(start.beginning, target));
    all.push(loaded);
    return {
      argv: [...before, RUNNER_PATH],
      // The folder may be one that only the command sees.
      cwd: absolutePath('/'),
      env: {},
      descriptors: [loaded.descriptor, runner.descriptor, ...descriptors],
    };
  };
  const process = await workspace.spawn({ ...command, through }).catch((error: unknown) => {
    closeAll(all);
    throw error;
  });
  return {
    process,
    told(exit) {
      const loaded = all.at(-1);
      if (loaded === undefined) return { exit, connections: [], paths: [] };
      try {
        return readBack(loaded, exit, { ...command, file });
      } finally {
        closeAll(all);
      }
    },
  };
}

function closeAll(all: LoadedProgram[]): void {
  for (const loaded of all.splice(0)) loaded.close();
}

type Started = Pick<CommandProgram, 'argv' | 'cwd'> & { readonly file: string };

function readBack(loaded: LoadedProgram, exit: ProcessExit, started: Started): Told {
  const watched = loaded.watched();
  const seen = { connections: watched.flatMap(connectionOf), paths: watched.flatMap(pathOf) };
  const outcome = loaded.outcome();
  const fault = ownFault(outcome, started);
  if (fault !== undefined) return { ...seen, exit: { kind: 'not_started', reason: fault } };
  const problem = stepProblem(outcome);
  if (problem !== undefined) {
    return { ...seen, exit: { kind: 'not_started', reason: `sandbox could not start: ${problem}` }, failure: problem };
  }
  return { ...seen, exit: outcome.kind === 'ended' ? exitFrom(outcome.status) : exit };
}

/** The last two steps fail when the command is wrong, not the sandbox. The words are those of an unconfined start. */
function ownFault(outcome: RunnerOutcome, { argv, cwd }: Started): string | undefined {
  if (outcome.kind !== 'stopped') return undefined;
  if (outcome.what === EXEC) return `spawn ${argv[0]} ${errorName(outcome.errno)}`;
  return outcome.what === CHANGE_FOLDER ? `the folder ${cwd} cannot be used (${errorName(outcome.errno)})` : undefined;
}

function connectionOf({ entry, bytes, arguments: words }: WatchedCall): readonly ConnectionAttempt[] {
  const call = WATCHED_ENTRIES[entry]?.call;
  if (call === 'socket') return [{ call, family: Number((words[0] ?? 0n) & 0xffffffffn) === 2 ? 'inet' : 'inet6' }];
  if (call !== 'connect' && call !== 'sendto') return [];
  const address = decodeAddress(bytes);
  return address === undefined ? [] : [{ ...address, call }];
}

/** Text up to its end; without a folder it can only be a whole path. */
function pathOf({ entry, bytes, folder }: WatchedCall): readonly AbsolutePath[] {
  const { pointer, length } = WATCHED_ENTRIES[entry] ?? {};
  if (pointer === undefined || length !== undefined) return [];
  const text = Buffer.from(bytes).toString().split('\0', 1)[0] ?? '';
  const whole = path.isAbsolute(text) ? text : folder === '' ? undefined : path.join(folder, text);
  return whole === undefined || !path.isAbsolute(whole) ? [] : [absolutePath(whole)];
}
