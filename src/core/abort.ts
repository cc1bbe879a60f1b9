/** Waiting that ends when a signal fires. */
import { Aborted } from './errors.js';

/** Tells who listens that nobody waits any more. Without a reason, an error would be made that nobody sees. */
export function callOff(over: AbortController): void {
  over.abort('over');
}

/** Rejects when the signal fires, unless `over` has fired before: then nobody waits any more. */
export function abortOf(signal: AbortSignal, over?: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(new Aborted());
    signal.addEventListener('abort', () => reject(new Aborted()), { once: true, ...(over && { signal: over }) });
  });
}
