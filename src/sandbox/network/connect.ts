/** Connections to the outside, by address. */
import { connect as connectSocket } from 'node:net';
import type { Socket } from 'node:net';

import { Aborted } from '../../core/errors.js';

/** A server that does not answer in this time is as good as none. */
const CONNECT_MS = 15_000;

/** The first address that answers; throws what the last one said. */
export async function connectToFirst(hosts: readonly string[], port: number, gone: AbortSignal): Promise<Socket> {
  let failure: unknown = new Error('it has no address');
  for (const host of hosts) {
    try {
      return await connect(host, port, gone);
    } catch (error) {
      if (gone.aborted) throw error;
      failure = error;
    }
  }
  throw failure;
}

export function connect(host: string, port: number, gone: AbortSignal): Promise<Socket> {
  if (gone.aborted) return Promise.reject(new Aborted());
  return new Promise((resolve, reject) => {
    const socket = connectSocket({ host, port, allowHalfOpen: true, noDelay: true });
    const abort = (): void => void socket.destroy(new Aborted());
    gone.addEventListener('abort', abort);
    const settle = (): void => {
      gone.removeEventListener('abort', abort);
      socket.setTimeout(0);
    };
    // This one stays: a connection may break at any time, and its end is seen by its `close`.
    socket.on('error', (error) => {
      settle();
      reject(error);
    });
    socket.setTimeout(CONNECT_MS, () => socket.destroy(new Error('it did not answer in time')));
    socket.once('connect', () => {
      settle();
      resolve(socket);
    });
  });
}
