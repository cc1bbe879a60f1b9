/**
 * Reads run together, writes run alone. Fair: calls enter in the order they came, so an exclusive call waiting
 * behind shared ones holds back the shared ones that came after it and can never starve.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

import { Aborted, ToolFailure } from '../core/errors.js';
import type { Tool } from '../core/tool.js';

type Concurrency = Tool['concurrency'];

export interface Gate {
  /**
   * Runs the work when its turn has come. It takes its place in the queue at once; when it is cancelled while it
   * waits, it never runs. Work that is started from inside other work is part of it and does not queue behind it.
   */
  pass<Value>(concurrency: Concurrency, signal: AbortSignal, work: () => Promise<Value>): Promise<Value>;
}

type Waiter = { readonly concurrency: Concurrency; readonly admitted: () => void };

/** Work that has been let in; `over` once it has ended, whatever it may have left running. */
type Pass = { readonly concurrency: Concurrency; over: boolean };

export function createGate(): Gate {
  const queue: Waiter[] = [];
  const current = new AsyncLocalStorage<Pass>();
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
    async pass(concurrency, signal, work) {
      if (signal.aborted) throw new Aborted();
      const around = current.getStore();
      if (around && !around.over) return passInside(around, concurrency, work);
      if (queue.length === 0 && mayEnter(concurrency)) enter(concurrency);
      else await wait(concurrency, signal);
      const pass: Pass = { concurrency, over: false };
      try {
        return await current.run(pass, work);
      } finally {
        pass.over = true;
        leave(pass);
      }
    },
  };
}

/** Waiting for the work around it would be waiting for itself. */
async function passInside<Value>(around: Pass, concurrency: Concurrency, work: () => Promise<Value>): Promise<Value> {
  if (around.concurrency === 'shared' && concurrency === 'exclusive') {
    throw new ToolFailure(
      'this tool runs alone, so it cannot be called from inside a call that shares its turn with others',
    );
  }
  return work();
}
