/**
 * Reads run together, writes run alone. Fair: calls enter in the order they came, so an exclusive call waiting
 * behind shared ones holds back the shared ones that came after it and can never starve.
 */
import { Aborted } from '../core/errors.js';
import type { Tool } from '../core/tool.js';

export type Leave = () => void;

export interface Gate {
  /** Takes its place in the queue at once; resolves when the call may run, rejects when it is cancelled first. */
  enter(concurrency: Tool['concurrency'], signal: AbortSignal): Promise<Leave>;
}

type Concurrency = Tool['concurrency'];
type Waiter = { readonly concurrency: Concurrency; readonly admitted: (leave: Leave) => void };

export function createGate(): Gate {
  const queue: Waiter[] = [];
  let sharedInside = 0;
  let exclusiveInside = false;

  function mayEnter(concurrency: Concurrency): boolean {
    return !exclusiveInside && (concurrency === 'shared' || sharedInside === 0);
  }

  function admit(concurrency: Concurrency): Leave {
    if (concurrency === 'shared') sharedInside += 1;
    else exclusiveInside = true;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      if (concurrency === 'shared') sharedInside -= 1;
      else exclusiveInside = false;
      admitWaiting();
    };
  }

  function admitWaiting(): void {
    for (let next = queue[0]; next !== undefined && mayEnter(next.concurrency); next = queue[0]) {
      queue.shift();
      next.admitted(admit(next.concurrency));
    }
  }

  function wait(concurrency: Concurrency, signal: AbortSignal): Promise<Leave> {
    return new Promise((resolve, reject) => {
      const cancel = (): void => {
        queue.splice(queue.indexOf(waiter), 1);
        reject(new Aborted());
        admitWaiting();
      };
      const waiter: Waiter = {
        concurrency,
        admitted: (leave) => {
          signal.removeEventListener('abort', cancel);
          resolve(leave);
        },
      };
      signal.addEventListener('abort', cancel, { once: true });
      queue.push(waiter);
    });
  }

  return {
    async enter(concurrency, signal) {
      if (signal.aborted) throw new Aborted();
      return queue.length === 0 && mayEnter(concurrency) ? admit(concurrency) : wait(concurrency, signal);
    },
  };
}
