/** One request on one connection, up to the head of its answer. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import { HttpError } from './http-error.js';
import type { Line } from './lines.js';
import { codeOf, connectionError } from './network-words.js';

export type Message = {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly Uint8Array[];
  readonly idleMs: number;
  readonly connectMs: number;
  readonly signal: AbortSignal;
};

/**
 * `stale` when a connection that was kept turned out to be closed before anything was answered. Once the signal fires,
 * the answer breaks off too.
 */
export function exchange(line: Line, message: Message): Promise<IncomingMessage | 'stale'> {
  return new Promise((resolve, reject) => {
    const { method, headers, body, signal } = message;
    const request = line.request({
      ...line.options,
      method,
      headers: { ...headers, ...line.headers, ...length(body) },
    });
    const patience = watchConnecting(request, line, message);
    let incoming: IncomingMessage | undefined;
    // A request that waits for its connection tells of its end only when that has come.
    const stop = (): void => {
      clearTimeout(patience);
      reject(signal.reason as Error);
      (incoming ?? request).destroy(new Error('aborted'));
    };
    signal.addEventListener('abort', stop);
    request.once('response', (response) => {
      incoming = response;
      request.setTimeout(0);
      resolve(response);
    });
    // Errors may come after the answer has, too; then its stream tells of them.
    request.on('error', (error) => {
      if (request.reusedSocket && isGone(error)) resolve('stale');
      else reject(connectionError(error, line.peer));
    });
    request.once('close', () => {
      clearTimeout(patience);
      signal.removeEventListener('abort', stop);
      // A server that wants to speak another protocol is hung up on without a word.
      if (incoming === undefined) reject(connectionError({ code: 'ECONNRESET' }, line.peer));
    });
    if (signal.aborted) stop();
    else write(request, body);
  });
}

function length(body: readonly Uint8Array[]): Record<string, string> {
  return body.length === 0 ? {} : { 'content-length': String(body.reduce((sum, piece) => sum + piece.length, 0)) };
}

function isGone(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE'].includes(codeOf(error));
}

/** First until there is a connection, then until something is answered; what is still being sent counts as a sign of life. */
function watchConnecting(request: ClientRequest, line: Line, { connectMs, idleMs }: Message): NodeJS.Timeout {
  const patience = setTimeout(() => {
    request.destroy(connectionError({ code: 'ETIMEDOUT' }, line.peer));
  }, connectMs);
  request.once('socket', (socket) => whenReady(socket, request, line, () => clearTimeout(patience)));
  request.setTimeout(idleMs, () => request.destroy(stalled(line, idleMs)));
  return patience;
}

function whenReady(socket: Socket, request: ClientRequest, line: Line, ready: () => void): void {
  if (request.reusedSocket && !socket.connecting) ready();
  else if (line.isEncrypted) socket.once('secureConnect', ready);
  else if (socket.connecting) socket.once('connect', ready);
  else ready();
}

function stalled({ server }: Line, idleMs: number): HttpError {
  return new HttpError('stalled', `${server.whom} did not answer within ${idleMs / 1000} s`);
}

/** Held back until all is there, so that a small request is one packet. */
function write(request: ClientRequest, body: readonly Uint8Array[]): void {
  request.cork();
  for (const piece of body) if (piece.length > 0) request.write(piece);
  request.end();
}
