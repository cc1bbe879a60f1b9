/** Notices when the program in a terminal has nothing left to do but wait for input. */
import type { Terminal } from '../core/workspace.js';
import { pause } from './pause.js';

/** How often a terminal is looked at: soon at first, so that a prompt is answered without delay. */
const FIRST_LOOK_MS = 1;
const LAST_LOOK_MS = 100;

export interface InputWait {
  /** Resolves when the program waits for input and nobody was told of this wait before. */
  begins(over: AbortSignal): Promise<void>;
  /** Whether it waits, after all it said before has arrived. From here on this wait is known. */
  look(): Promise<boolean>;
  /** What is about to be typed ends the present wait. */
  typed(): void;
}

export function createInputWait(terminal: Terminal | undefined): InputWait {
  let known: string | undefined;

  /** The present wait, if it is still the same once everything printed before it has arrived. */
  async function steadyWait(): Promise<string | undefined> {
    const mark = terminal?.waiting();
    if (mark === undefined || mark === known) return mark;
    await terminal?.flushed();
    return terminal?.waiting() === mark ? mark : undefined;
  }

  return {
    async begins(over) {
      // Without a terminal there is nothing to look at.
      if (terminal === undefined) await new Promise(() => {});
      for (let ms = FIRST_LOOK_MS; !over.aborted; ms = Math.min(ms * 2, LAST_LOOK_MS)) {
        const mark = await steadyWait();
        if (mark !== undefined && mark !== known) return;
        await pause(ms, over);
      }
    },
    async look() {
      known = await steadyWait();
      return known !== undefined;
    },
    typed() {
      known = terminal?.waiting();
    },
  };
}
