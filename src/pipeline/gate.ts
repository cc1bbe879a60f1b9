/**
 * Reads run together, writes run alone. Fair: calls enter in the order they came, so an exclusive call waiting
 * behind shared ones holds back the shared ones that came after it and can never starve.
 */
import { Aborted, ToolFailure } from '../core/errors.js';
import type { Concurrency } from '../core/tool.js';

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
};

/** What work holds that has been let in, for as long as it lasts. */
export interface Pass {
  /** Runs a part of the work: parts keep the same order among themselves as whole calls do. */
  part<Value>(entry: Entry, work: (pass: Pass) => Promise<Value>): Promise<Value>;
}

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

  function leave(concurrency: Concurrency): void {
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
    async pass({ concurrency, signal }, work) {
      if (signal.aborted) throw new Aborted();
      if (queue.length === 0 && mayEnter(concurrency)) enter(concurrency);
      else await wait(concurrency, signal);
      const held = createPass(concurrency);
      try {
        return await work(held.pass);
      } finally {
        await held.end();
        leave(concurrency);
      }
    },
  };
}

/** The parts of one piece of work pass a gate of their own; queueing at the outer one would be waiting for itself. */
function createPass(concurrency: Concurrency): { readonly pass: Pass; end(): Promise<void> } {
  const running = new Set<Promise<unknown>>();
  let gate: Gate | undefined;
  let over = false;

  async function part<Value>(entry: Entry, work: (pass: Pass) => Promise<Value>): Promise<Value> {
    if (over) throw new Aborted();
    if (entry.concurrency === 'exclusive' && concurrency === 'shared') {
      throw new ToolFailure('this tool runs alone, so it cannot be called from inside a call that shares its turn');
    }
    gate ??= createGate();
    const passing = gate.pass(entry, work);
    running.add(passing);
    try {
      return await passing;
    } finally {
      running.delete(passing);
    }
  }

  return {
    pass: { part },
    /** Parts that nobody waited for end first, so that nothing runs on under a pass that has been given back. */
    async end() {
      over = true;
      await Promise.allSettled(running);
    },
  };
}
