/** What the user says to a turn while it runs. */
import type { UserInput } from '../core/turn.js';

export interface Steering {
  /** A turn begins to listen. */
  open(): void;
  /** It hears no more. */
  close(): void;
  /** False when nobody listens. */
  say(input: UserInput): boolean;
  /** What was not taken yet, each once. */
  take(): readonly UserInput[];
}

export function createSteering(): Steering {
  let isOpen = false;
  let said: UserInput[] = [];
  return {
    open() {
      isOpen = true;
    },
    close() {
      isOpen = false;
    },
    say(input) {
      if (isOpen) said.push(input);
      return isOpen;
    },
    take() {
      const taken = said;
      said = [];
      return taken;
    },
  };
}
