/** Work for a client that may leave before it is done. */
import type { Socket } from 'node:net';

import { abortOf } from '../../core/abort.js';

/** A client that says goodbye before it was answered has gone, even if it would still listen. */
export async function whileThere<Value>(client: Socket, work: (gone: AbortSignal) => Promise<Value>): Promise<Value> {
  const gone = new AbortController();
  const leave = (): void => {
    gone.abort();
    client.destroy();
  };
  if (client.destroyed || client.readableEnded) leave();
  client.on('end', leave).on('close', leave);
  try {
    return await work(gone.signal);
  } finally {
    client.off('end', leave).off('close', leave);
  }
}

/** Waits for what cannot be called off; throws `Aborted` when nobody is there any more. */
export async function unlessGone<Value>(gone: AbortSignal, work: Promise<Value>): Promise<Value> {
  const over = new AbortController();
  try {
    return await Promise.race([work, abortOf(gone, over.signal)]);
  } finally {
    over.abort();
  }
}
