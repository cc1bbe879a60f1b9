/** Waiting that ends when the call is cancelled, so that no step can hold a cancelled call back. */
import { Aborted } from '../core/errors.js';

/** The work's own result, or `Aborted` as soon as the signal fires; the work itself is left to end unheard. */
export async function unlessAborted<Value>(signal: AbortSignal, work: () => Promise<Value> | Value): Promise<Value> {
  if (signal.aborted) throw new Aborted();
  return withAbort(signal, Promise.resolve(work()));
}

/**
 * Like `unlessAborted`, but lets the work finish within `graceMs` after the signal: a tool that stops cleanly, or
 * had all but finished, reports what really happened.
 */
export async function withGrace<Value>(
  signal: AbortSignal,
  graceMs: number,
  work: () => Promise<Value>,
): Promise<Value> {
  if (signal.aborted) throw new Aborted();
  const working = work();
  try {
    return await withAbort(signal, working);
  } catch (error) {
    if (!signal.aborted) throw error;
    return await within(graceMs, working);
  }
}

async function withAbort<Value>(signal: AbortSignal, working: Promise<Value>): Promise<Value> {
  let cancel: (() => void) | undefined;
  const cancelled = new Promise<never>((_, reject) => {
    cancel = () => reject(new Aborted());
    signal.addEventListener('abort', cancel, { once: true });
  });
  try {
    return await Promise.race([working, cancelled]);
  } finally {
    if (cancel) signal.removeEventListener('abort', cancel);
  }
}

/** What the work still gives in the time that is left; whatever it throws by then only says that it was cut off. */
async function within<Value>(graceMs: number, working: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Aborted()), graceMs);
  });
  try {
    return await Promise.race([working, late]);
  } catch {
    throw new Aborted();
  } finally {
    clearTimeout(timer);
  }
}
