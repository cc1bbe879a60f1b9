/** The requests that have come, and promises for those that have not. */
import type { ScriptedRequest } from './scripted-model-turn.js';

export interface Arrivals {
  readonly list: readonly ScriptedRequest[];
  /** Its index. */
  add(request: ScriptedRequest): number;
  at(index: number): Promise<ScriptedRequest>;
  /** No more will come. */
  end(): void;
}

export function createArrivals(): Arrivals {
  const list: ScriptedRequest[] = [];
  const waiting = new Set<() => void>();
  let ended = false;
  const wake = () => {
    for (const look of waiting) look();
  };
  return {
    list,
    add(request) {
      const index = list.push(request) - 1;
      wake();
      return index;
    },
    at(index) {
      const found = new Promise<ScriptedRequest>((resolve, reject) => {
        const look = () => {
          const request = list[index];
          if (request) resolve(request);
          else if (ended) reject(new Error(`the scripted model was closed before it got request ${index + 1}`));
          else return void waiting.add(look);
          waiting.delete(look);
        };
        look();
      });
      // Who asked and no longer waits need not be told.
      found.catch(() => {});
      return found;
    },
    end() {
      ended = true;
      wake();
    },
  };
}
