/** Notices when the program in a terminal has nothing left to do but wait for input. */
import type { Terminal } from '../core/workspace.js';
import type { SessionOutput } from './session-output.js';
import { pause } from './turns.js';

/** How often a terminal is looked at: soon at first, so that a prompt is answered without delay. */
const FIRST_LOOK_MS = 1;
const LAST_LOOK_MS = 100;

export interface InputWait {
  /** Resolves when the program waits for input and nobody was told of this wait before. */
  begins(over: AbortSignal): Promise<void>;
  /** Whether it waits right now; from here on this wait is known. */
  look(): boolean;
}

export function createInputWait(terminal: Terminal | undefined, output: SessionOutput): InputWait {
  let known: string | undefined;

  /** True when the program waits, and all it said before has arrived. */
  async function isNew(mark: string | undefined): Promise<boolean> {
    if (terminal === undefined || mark === undefined || mark === known) return false;
    const printed = output.bytes;
    await terminal.flushed();
    return output.bytes === printed && terminal.waiting() === mark;
  }

  return {
    async begins(over) {
      for (let ms = FIRST_LOOK_MS; !over.aborted; ms = Math.min(ms * 2, LAST_LOOK_MS)) {
        if (await isNew(terminal?.waiting())) return;
        // Without a terminal there is nothing to look at.
        if (terminal === undefined) await new Promise(() => {});
        await pause(ms, over);
      }
    },
    look() {
      known = terminal?.waiting();
      return known !== undefined;
    },
  };
}
