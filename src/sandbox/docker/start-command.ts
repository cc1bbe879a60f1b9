/** Gives a slot its command and follows it: its output as it comes, and its end as data. */
import os from 'node:os';

import { messageOf } from '../../core/errors.js';
import type { OutputStream } from '../../core/output.js';
import type { Process, ProcessExit } from '../../core/workspace.js';
import type { AgentLink } from './agent-link.js';
import { commandScript, refusalText } from './command-script.js';
import type { ScriptedCommand } from './command-script.js';
import type { PipeReader } from './named-pipes.js';
import type { SlotEnd, SlotEntry } from './slot-board.js';
import type { Slot } from './slot-supply.js';

export type ContainerCommand = ScriptedCommand & {
  readonly onOutput: (chunk: Uint8Array, stream: OutputStream) => void;
  /** Gives up starting it. */
  readonly signal?: AbortSignal;
  /** One of its variables, as `NAME=value`, that no other command has: by it is found what left its session. */
  readonly mark?: string;
};

/** After its end, only a child left in the background still holds a pipe; after a kill those are dying too. */
const DRAIN_MS = 100;
const DRAIN_AFTER_KILL_MS = 2_000;

/** Whoever waits for the end is given the time to tell first. */
const CHECK_MS = 1_000;

export function startCommand(slot: Slot, command: ContainerCommand, link: AgentLink): Process {
  const { entry, leader, input } = slot;
  let killed = false;
  const kill = (): void => {
    killed = true;
    link.send(`signal KILL ${leader}`);
  };
  const output = followOutput([slot.output, slot.errors], command, kill);
  input.finish(commandScript(command));
  const exit = entry.ended.then(async (end) => {
    input.close();
    await output.ended(killed ? DRAIN_AFTER_KILL_MS : DRAIN_MS, kill);
    return output.failure() ?? exitOf(end, entry, command);
  });
  askWhenSilent(slot, link);
  return {
    // The number that it has inside means another process outside, or none.
    pid: undefined,
    exit,
    interrupt: () => link.send(`signal INT ${leader}`),
    async end() {
      killed = true;
      await sweep(entry, leader, { mark: command.mark, link });
    },
  };
}

/**
 * A command may have killed what waits for its end, and then nobody tells of it. Once it can print nothing any more, the
 * agent is asked whether it is still there.
 */
function askWhenSilent({ entry, leader, output, errors }: Slot, link: AgentLink): void {
  let timer: NodeJS.Timeout | undefined;
  let over = false;
  void entry.ended.then(() => {
    over = true;
    clearInterval(timer);
  });
  void Promise.all([output.closed, errors.closed]).then(() => {
    if (!over) timer = setInterval(() => link.send(`check ${entry.id} ${leader}`), CHECK_MS);
  });
}

/** Ends a command and everything that came from it. */
export async function sweep(
  entry: SlotEntry,
  leader: number,
  { mark = '', link }: { readonly mark: string | undefined; readonly link: AgentLink },
): Promise<void> {
  const swept = entry.nextSweep();
  link.send(`end ${entry.id} ${leader} ${mark}`);
  await swept;
}

function exitOf(end: SlotEnd, entry: SlotEntry, command: ContainerCommand): ProcessExit {
  const refusal = entry.refusal();
  if (refusal !== undefined) return { kind: 'not_started', reason: refusalText(refusal, command) };
  if (end.kind === 'exited') return { kind: 'exited', code: end.code };
  // With a container, everything in it is killed.
  const number = end.kind === 'killed' ? end.signal : os.constants.signals.SIGKILL;
  return { kind: 'signalled', signal: signalName(number), number };
}

function signalName(number: number): string {
  return Object.entries(os.constants.signals).find(([, value]) => value === number)?.[0] ?? `SIG${number}`;
}

interface Output {
  /** Resolves when all is read; after `ms` whoever still writes is ended and no longer waited for. */
  ended(ms: number, endWriters: () => void): Promise<void>;
  /** Why it could not be taken. */
  failure(): ProcessExit | undefined;
}

type Readers = readonly [PipeReader, PipeReader];

function followOutput(readers: Readers, { onOutput }: ContainerCommand, stop: () => void): Output {
  let failure: ProcessExit | undefined;
  const forward = (stream: OutputStream) => (chunk: Buffer) => {
    try {
      onOutput(chunk, stream);
    } catch (error) {
      failure ??= { kind: 'not_started', reason: `its output could not be taken: ${messageOf(error)}` };
      stop();
    }
  };
  readers[0].listen(forward('stdout'));
  readers[1].listen(forward('stderr'));
  return {
    async ended(ms, endWriters) {
      const giveUp = (): void => {
        endWriters();
        for (const reader of readers) reader.close();
      };
      // A busy process may get here before it has read what is already waiting; an immediate runs after the next read.
      const timer = setTimeout(() => setImmediate(giveUp), ms);
      await Promise.all(readers.map((reader) => reader.closed));
      clearTimeout(timer);
    },
    failure: () => failure,
  };
}
