/** The commands of one guest: starts them through the agent's port, and sorts what comes back by command. */
import type { Duplex } from 'node:stream';

import { Aborted, messageOf } from '../../core/errors.js';
import type { Command, Process, ProcessExit } from '../../core/workspace.js';
import { MOST_PAYLOAD_BYTES, createFrameDecoder, encodeFrame } from './frames.js';
import type { Frame } from './frames.js';
import { decodeExit, encodeStart, startProblem } from './requests.js';

export type GuestCommand = Pick<Command, 'argv' | 'cwd' | 'terminal' | 'signal' | 'onOutput'> & {
  readonly env: Readonly<Record<string, string>>;
};

export interface GuestCommands {
  /** A command that cannot be started is an exit, not an exception; one that was aborted before throws. */
  spawn(command: GuestCommand): Process;
}

export type GuestEvents = {
  /** The agent listens. */
  readonly onReady: () => void;
  /** Nothing can be started any more, and the guest is to be ended. What was running counts as killed. */
  readonly onOver: (reason: string) => void;
};

type Running = {
  readonly onOutput: GuestCommand['onOutput'];
  readonly settle: (exit: ProcessExit) => void;
  /** Why its output could not be taken. */
  failure?: string;
};

export const NO_TERMINAL = 'there are no terminals in a virtual machine; it runs with plain pipes';

const TOO_LONG = 'the command is too long for the system; put the text into a file';

const SIGINT = 2;
const SIGKILL = 9;
const KILLED: ProcessExit = { kind: 'signalled', signal: 'SIGKILL', number: SIGKILL };

/** A guest that does not end a command in this time is ended itself. */
const END_MS = 10_000;

export function createGuestCommands(port: Duplex, { onReady, onOver }: GuestEvents): GuestCommands {
  const decoder = createFrameDecoder();
  const running = new Map<number, Running>();
  let lastId = 0;
  let problem: string | undefined;

  function fail(reason: string): void {
    if (problem !== undefined) return;
    problem = reason;
    port.destroy();
    for (const { settle } of running.values()) settle(KILLED);
    running.clear();
    onOver(reason);
  }

  function signal(id: number, number: number): void {
    if (running.has(id)) port.write(encodeFrame({ kind: 'signal', id, payload: Uint8Array.of(number) }));
  }

  function take(frame: Frame): void {
    if (frame.kind === 'ready') return onReady();
    const command = running.get(frame.id);
    if (command === undefined) return;
    if (frame.kind === 'stdout' || frame.kind === 'stderr') return output(command, frame.kind, frame);
    const exit = decodeExit(frame);
    if (exit === undefined) return fail('the guest sent what only the host may send');
    running.delete(frame.id);
    command.settle(command.failure === undefined ? exit : { kind: 'not_started', reason: command.failure });
  }

  function output(command: Running, stream: 'stdout' | 'stderr', { id, payload }: Frame): void {
    if (command.failure !== undefined) return;
    try {
      command.onOutput(payload, stream);
    } catch (error) {
      command.failure = `its output could not be taken: ${messageOf(error)}`;
      signal(id, SIGKILL);
    }
  }

  async function end(id: number, exit: Promise<ProcessExit>): Promise<void> {
    signal(id, SIGKILL);
    const deadline = setTimeout(() => fail('the guest did not end a command in time'), END_MS);
    await exit;
    clearTimeout(deadline);
  }

  port.on('data', (chunk: Buffer) => {
    try {
      for (const frame of decoder.push(chunk)) take(frame);
    } catch (error) {
      fail(messageOf(error));
    }
  });
  port.on('error', () => {});
  port.on('close', () => fail('the guest has ended'));

  return {
    spawn(command) {
      if (command.signal?.aborted) throw new Aborted();
      const payload = encodeStart(command);
      const reason = problem ?? startProblem(command) ?? (payload.length > MOST_PAYLOAD_BYTES ? TOO_LONG : undefined);
      if (reason !== undefined) return notStarted(reason);
      const id = ++lastId;
      const exit = new Promise<ProcessExit>((settle) => {
        running.set(id, { onOutput: command.onOutput, settle });
      });
      const stop = (): void => void end(id, exit);
      command.signal?.addEventListener('abort', stop, { once: true });
      void exit.then(() => command.signal?.removeEventListener('abort', stop));
      port.write(encodeFrame({ kind: 'start', id, payload }));
      return {
        pid: undefined,
        exit,
        ...(command.terminal && { notice: NO_TERMINAL }),
        interrupt: () => signal(id, SIGINT),
        end: () => end(id, exit),
      };
    },
  };
}

function notStarted(reason: string): Process {
  return {
    pid: undefined,
    exit: Promise.resolve({ kind: 'not_started', reason }),
    interrupt: () => {},
    end: async () => {},
  };
}
