/** The body of an answer, piece by piece. Only the time spent waiting for the server counts as its silence. */
import type { IncomingMessage } from 'node:http';

import { HttpError } from './http-error.js';
import { streamError } from './network-words.js';
import type { Peer } from './network-words.js';

/** How long the end may take to come once nobody wants more. A connection that is kept saves more than that. */
const LAST_WORDS_MS = 100;

type Reading = { readonly idleMs: number; readonly signal: AbortSignal; readonly server: Peer };

export async function* responseChunks(
  incoming: IncomingMessage,
  { idleMs, signal, server }: Reading,
): AsyncGenerator<Buffer, void, void> {
  const chunks = incoming.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, void>;
  let isWaiting = false;
  const patience = setTimeout(() => {
    if (isWaiting) incoming.destroy(silence(server, idleMs));
  }, idleMs);
  const next = async (): Promise<IteratorResult<Buffer, void>> => {
    isWaiting = true;
    patience.refresh();
    try {
      return await chunks.next();
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw streamError(error, server);
    } finally {
      isWaiting = false;
    }
  };
  try {
    for (let read = await next(); read.done !== true; read = await next()) yield read.value;
  } finally {
    clearTimeout(patience);
    await chunks.return?.();
    await letEnd(incoming);
  }
}

function silence(server: Peer, idleMs: number): HttpError {
  return new HttpError('stalled', `${server.whom} sent nothing for ${idleMs / 1000} s in the middle of its answer`);
}

async function letEnd(incoming: IncomingMessage): Promise<void> {
  if (incoming.destroyed || incoming.closed) return;
  await new Promise<void>((resolve) => {
    const over = setTimeout(resolve, LAST_WORDS_MS);
    incoming.on('error', () => resolve());
    incoming.once('close', () => {
      clearTimeout(over);
      resolve();
    });
    incoming.resume();
  });
  if (!incoming.destroyed) incoming.destroy();
}
