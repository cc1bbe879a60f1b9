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

type Waiter = { readonly concurrency: Tool['concurrency']; readonly admit: () => void };

export function createGate(): Gate {
  const queue: Waiter[] = [];
  let sharedInside = 0;
  let exclusiveInside = false;

  function mayEnter({ concurrency }: Waiter): boolean {
    return concurrency === 'shared' ? !exclusiveInside : !exclusiveInside && sharedInside === 0;
  }

  function admitNext(): void {
    for (let next = queue[0]; next !== undefined && mayEnter(next); next = queue[0]) {
      queue.shift();
      if (next.concurrency === 'shared') sharedInside += 1;
      else exclusiveInside = true;
      next.admit();
    }
  }

  function leaveOnce(concurrency: Tool['concurrency']): Leave {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      if (concurrency === 'shared') sharedInside -= 1;
      else exclusiveInside = false;
      admitNext();
    };
  }

  return {
    enter(concurrency, signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) {
          reject(new Aborted());
          return;
        }
        const cancel = (): void => {
          queue.splice(queue.indexOf(waiter), 1);
          reject(new Aborted());
          admitNext();
        };
        const waiter: Waiter = {
          concurrency,
          admit: () => {
            signal.removeEventListener('abort', cancel);
            resolve(leaveOnce(concurrency));
          },
        };
        signal.addEventListener('abort', cancel, { once: true });
        queue.push(waiter);
        admitNext();
      });
    },
  };
}
