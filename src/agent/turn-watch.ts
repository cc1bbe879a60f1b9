/** What may cut a turn short from outside: whoever started it, or the clock. */
import { setMaxListeners } from 'node:events';

import { Aborted } from '../core/errors.js';
import { limitError } from './limits.js';
import { TurnEnd } from './turn-end.js';

export interface TurnWatch {
  readonly signal: AbortSignal;
  /** Knows whether it was the user or the clock. */
  reasonFor(end: TurnEnd): TurnEnd;
  /** Cancels whatever still runs. */
  stop(): void;
  close(): void;
}

/** What a timer can count. */
const LONGEST_TIMER = 2 ** 31 - 1;

export function watchTurn(signals: readonly (AbortSignal | undefined)[], wallMs = Infinity): TurnWatch {
  const controller = new AbortController();
  // Every call and every request of the turn listens to it.
  setMaxListeners(0, controller.signal);
  let outOfTime = false;
  const interrupt = (): void => controller.abort(new Aborted());
  const timer = wallMs <= LONGEST_TIMER ? setTimeout(timeOut, wallMs) : undefined;
  function timeOut(): void {
    outOfTime = true;
    interrupt();
  }
  for (const outer of signals) {
    if (outer?.aborted) interrupt();
    outer?.addEventListener('abort', interrupt, { once: true });
  }
  return {
    signal: controller.signal,
    stop: interrupt,
    reasonFor(end) {
      if (!outOfTime || end.status !== 'interrupted') return end;
      return new TurnEnd('stopped', limitError(`after ${wallMs / 1000} seconds`, 'wall_seconds'));
    },
    close() {
      clearTimeout(timer);
      for (const outer of signals) outer?.removeEventListener('abort', interrupt);
    },
  };
}
