/**
 * How long a server may keep a connection open without saying anything. Gateways send comments or empty lines while a
 * model thinks; these are signs of life, but not for ever.
 */
import { ModelError } from '../core/model.js';
import { monotonicMs } from '../core/monotonic.js';

export interface Patience {
  /** The same chunks. Throws a `ModelError` once too much time was spent waiting for them with nothing heard. */
  watch(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void>;
  /** Something was said: the wait begins anew. */
  heard(): void;
}

export function createPatience(mostMs: number, now: () => number = monotonicMs): Patience {
  let waited = 0;
  return {
    async *watch(chunks) {
      const reader = chunks[Symbol.asyncIterator]();
      try {
        while (waited < mostMs) {
          const since = now();
          const read = await reader.next();
          waited += now() - since;
          if (read.done === true) return;
          yield read.value;
        }
      } finally {
        await reader.return?.();
      }
      const words = `the server kept the connection open for ${mostMs / 1000} s without saying anything`;
      throw new ModelError('stalled', words);
    },
    heard() {
      waited = 0;
    },
  };
}
