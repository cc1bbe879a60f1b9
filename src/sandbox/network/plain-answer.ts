/** Answers of the proxy itself, as short text that tools can print. */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

/** How long a client may go on talking that was told to go. */
const LINGER_MS = 2_000;

export function plainAnswer(status: number, text: string, headers: readonly string[] = []): Buffer {
  const body = Buffer.from(`${text}\n`);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${body.length}`,
    'Connection: close',
    ...headers,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
}

/** Goes on reading until the client has gone: closing on unread bytes would take the answer back. */
export function answerAndClose(client: Socket, answer: Buffer): void {
  if (client.destroyed) return;
  client.end(answer);
  client.resume();
  const timer = setTimeout(() => client.destroy(), LINGER_MS);
  client.once('close', () => clearTimeout(timer));
}
