/**
 * Notices a model that goes round in circles: the same call fails again and nothing new has worked in between. A test
 * that fails after each edit is no circle, because each edit is new.
 */
import type { ToolCall } from '../core/call.js';

/** From here on the model is told. */
const NOTICED = 3;
/** The model was told often enough. */
const HOPELESS = 6;

type Repetition = { readonly times: number; readonly advice?: string; readonly hopeless: boolean };

export interface Repetitions {
  /** To be told of every call that has ended, in order. */
  after(call: ToolCall, success: boolean): Repetition;
}

export function createRepetitions(): Repetitions {
  const failures = new Map<string, number>();
  const worked = new Set<string>();

  return {
    after({ name, payload }, success) {
      const key = JSON.stringify([name, payload]);
      if (success) {
        if (!worked.has(key)) failures.clear();
        worked.add(key);
        return { times: 0, hopeless: false };
      }
      const times = (failures.get(key) ?? 0) + 1;
      failures.set(key, times);
      return { times, hopeless: times >= HOPELESS, ...(times >= NOTICED && { advice: adviceFor(times) }) };
    },
  };
}

function adviceFor(times: number): string {
  return (
    `\n\n[This exact call has now failed ${times} times. Repeating it will not help: read the error above, and try ` +
    'something else, or tell the user what is in the way.]'
  );
}
