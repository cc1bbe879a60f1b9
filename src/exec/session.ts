/** One program that may outlive its call. */
import { abortOf, callOff } from '../core/abort.js';
import { ToolFailure } from '../core/errors.js';
import type { Emit } from '../core/events.js';
import type { CallId, SessionId } from '../core/ids.js';
import type { Capture } from '../core/output.js';
import { unfinishedLine } from '../core/typed-line.js';
import type { Collected, Session, SessionStart } from '../core/sessions.js';
import type { Process, ProcessExit, TerminalSize, Workspace } from '../core/workspace.js';
import { createInputWait } from './input-wait.js';
import { atMost, pause } from './pause.js';
import { createSessionOutput } from './session-output.js';
import { createTurns } from './turns.js';

const CTRL_C = '\u0003';
/** A program that does not read at once gets the rest of what was typed when it does. */
const TYPING_MS = 250;

export type OpenSession = Session & { readonly busy: boolean };

export type SessionsOptions = {
  readonly emit: Emit;
  /** A sink for what a session prints, under the call that started it. */
  readonly openCapture: (callId: CallId) => Capture;
  readonly terminalSize: TerminalSize;
};

export type SessionContext = SessionsOptions & {
  /** Gives up starting it. */
  readonly giveUp: AbortSignal | undefined;
  /** When it goes on after its call has been answered. */
  readonly onKept: () => void;
  readonly onUse: () => void;
  readonly onForgotten: () => void;
};

export async function openSession(
  id: SessionId,
  start: SessionStart,
  workspace: Workspace,
  { emit, openCapture, terminalSize, giveUp, onKept, onUse, onForgotten }: SessionContext,
): Promise<OpenSession> {
  const { callId, argv, cwd, confined } = start;
  const output = createSessionOutput(openCapture(callId));
  const process = await workspace.spawn({
    argv,
    cwd,
    label: String(id),
    ...(start.tty && { terminal: terminalSize }),
    ...(giveUp && { signal: giveUp }),
    onOutput: (chunk, stream) => output.write(chunk, stream),
    lendsOutput: true,
  });
  const tty = process.terminal !== undefined;
  const wait = createInputWait(process.terminal);
  const turns = createTurns();
  let exit: ProcessExit | undefined;
  let line = '';
  /** Whether anybody was told of the session: then its end is told as well. */
  let known = false;
  const ended = process.exit.then((how) => {
    exit = how;
    if (known) emit({ type: 'session.ended', callId, session: id, exit: how });
  });

  async function collect(ms: number, signal: AbortSignal): Promise<Collected> {
    const over = new AbortController();
    try {
      await Promise.race([ended, pause(ms, over.signal), wait.begins(over.signal), abortOf(signal, over.signal)]);
    } finally {
      callOff(over);
    }
    const waits = exit === undefined && (await wait.look());
    if (exit !== undefined) {
      onForgotten();
      return { output: output.takeLast(), exit };
    }
    if (!known) {
      known = true;
      emit({ type: 'session.opened', callId, session: id, argv, cwd, tty });
      onKept();
    }
    return { output: output.take(), ...(waits && { waiting: { prompt: output.lastLine() } }) };
  }

  return {
    get info() {
      return { id, callId, pid: process.pid, argv, cwd, tty, confined, running: exit === undefined, line };
    },
    get busy() {
      return turns.busy;
    },
    notice: process.notice,
    exclusively: (signal, work) =>
      turns.take(signal, () => {
        onUse();
        return work();
      }),
    async type(text) {
      if (exit !== undefined) return;
      wait.typed();
      line = unfinishedLine(line, text);
      await Promise.race([typeInto(process, text, start.noInputText), ended]);
    },
    collect: ({ ms, signal }) => collect(ms, signal),
    resize: (size) => process.terminal?.resize(size),
    async end() {
      onForgotten();
      if (exit === undefined) await process.end();
      await ended;
      output.takeLast();
    },
  };
}

async function typeInto(process: Process, text: string, noInputText: string): Promise<void> {
  // Only a terminal makes an interrupt of it.
  if (text === CTRL_C && process.terminal === undefined) return process.interrupt();
  if (process.write === undefined) throw new ToolFailure(noInputText);
  const typed = process.write(Buffer.from(text));
  // What is taken later than that may fail only because the program has ended, which is told anyway.
  typed.catch(() => {});
  await atMost(TYPING_MS, typed);
}
