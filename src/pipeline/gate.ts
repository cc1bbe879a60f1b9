/**
 * Reads run together, writes run alone. Fair: calls enter in the order they came, so an exclusive call waiting
 * behind shared ones holds back the shared ones that came after it and can never starve.
 */
import { Aborted, ToolFailure } from '../core/errors.js';
import type { Tool } from '../core/tool.js';

type Concurrency = Tool['concurrency'];

export interface Gate {
  /**
   * Runs the work when its turn has come. It takes its place in the queue at once; when it is cancelled while it
   * waits, it never runs.
   */
  pass<Value>(entry: Entry, work: (pass: Pass) => Promise<Value>): Promise<Value>;
}

type Entry = {
  readonly concurrency: Concurrency;
  readonly signal: AbortSignal;
  /** The pass of the work this is a part of. Queueing behind it would be waiting for itself. */
  readonly inside?: Pass | undefined;
};

/** What work holds that has been let in; `over` once it has ended, whatever it may have left running. */
export type Pass = { readonly concurrency: Concurrency; over: boolean };

type Waiter = { readonly concurrency: Concurrency; readonly admitted: () => void };

export function createGate(): Gate {
  const queue: Waiter[] = [];
  let sharedInside = 0;
  let exclusiveInside = false;

  function mayEnter(concurrency: Concurrency): boolean {
    return !exclusiveInside && (concurrency === 'shared' || sharedInside === 0);
  }

  function enter(concurrency: Concurrency): void {
    if (concurrency === 'shared') sharedInside += 1;
    else exclusiveInside = true;
  }

  function leave({ concurrency }: Pass): void {
    if (concurrency === 'shared') sharedInside -= 1;
    else exclusiveInside = false;
    admitWaiting();
  }

  function admitWaiting(): void {
    for (let next = queue[0]; next !== undefined && mayEnter(next.concurrency); next = queue[0]) {
      queue.shift();
      enter(next.concurrency);
      next.admitted();
    }
  }

  function wait(concurrency: Concurrency, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = (): void => {
        queue.splice(queue.indexOf(waiter), 1);
        reject(new Aborted());
        admitWaiting();
      };
      const waiter: Waiter = {
        concurrency,
        admitted: () => {
          signal.removeEventListener('abort', cancel);
          resolve();
        },
      };
      signal.addEventListener('abort', cancel, { once: true });
      queue.push(waiter);
    });
  }

  return {
    async pass({ concurrency, signal, inside }, work) {
      if (signal.aborted) throw new Aborted();
      if (inside && !inside.over) return work(passInside(inside, concurrency));
      if (queue.length === 0 && mayEnter(concurrency)) enter(concurrency);
      else await wait(concurrency, signal);
      const pass: Pass = { concurrency, over: false };
      try {
        return await work(pass);
      } finally {
        pass.over = true;
        leave(pass);
      }
    },
  };
}

/** A part shares the pass of the whole, unless it has to run alone and the whole does not. */
function passInside(inside: Pass, concurrency: Concurrency): Pass {
  if (concurrency === 'shared' || inside.concurrency === 'exclusive') return inside;
  throw new ToolFailure(
    'this tool runs alone, so it cannot be called from inside a call that shares its turn with others',
  );
}
