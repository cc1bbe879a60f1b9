/** Waiting for a time, or for something that may take too long. */
import { callOff } from '../core/abort.js';

/** Ends early, and well, when it is no longer needed. */
export function pause(ms: number, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      over.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    over.addEventListener('abort', end);
  });
}

/** Waits for the work, and not longer than `ms`; the work itself goes on. */
export async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  try {
    await Promise.race([work, pause(ms, over.signal)]);
  } finally {
    callOff(over);
  }
}
