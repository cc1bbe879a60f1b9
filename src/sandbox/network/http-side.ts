/** HTTP clients of the proxy. Node's own parser reads them, in its strict form. */
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import { parseAuthority } from './destination.js';
import { forwardRequest } from './forward-request.js';
import { answerAndClose, plainAnswer } from './plain-answer.js';
import { CHALLENGE, CHALLENGE_TEXT, tokenOf } from './proxy-authorization.js';
import type { ProxyParts } from './proxy-parts.js';
import { malformed, refusalText } from './refusal.js';
import { tunnel } from './tunnel.js';
import { whileThere } from './while-there.js';

const HEAD_BYTES = 16_384;
const KEEP_ALIVE_MS = 60_000;
const CONNECTED = 'HTTP/1.1 200 Connection established\r\n\r\n';

export function createHttpSide(parts: ProxyParts): (client: Socket) => void {
  const server = createServer({
    insecureHTTPParser: false,
    maxHeaderSize: HEAD_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  server.timeout = parts.limits.idleMs;
  // The number of headers is bound by their size. A limit here would drop some unseen, such as the length of the body.
  server.maxHeadersCount = 0;
  server.on('request', (request, response) => {
    forwardRequest({ request, response }, parts).catch(() => request.socket.destroy());
  });
  server.on('connect', (request: IncomingMessage, client: Socket, head: Buffer) => {
    if (head.length > 0) client.unshift(head);
    openTunnel(request, client, parts).catch(() => client.destroy());
  });
  return (client) => void server.emit('connection', client);
}

async function openTunnel(
  request: IncomingMessage,
  client: Socket,
  { runs, route, limits }: ProxyParts,
): Promise<void> {
  const refuse = (status: number, text: string, headers: readonly string[] = []): void =>
    answerAndClose(client, plainAnswer(status, text, headers));
  const run = runs.find(tokenOf(request));
  if (run === undefined) return refuse(407, CHALLENGE_TEXT, [`${CHALLENGE.name}: ${CHALLENGE.value}`]);
  run.hold(client);
  const authority = request.url ?? '';
  const to = parseAuthority(authority);
  if (to === undefined) return refuse(403, refusalText(run.refuse(malformed(authority))));
  const reached = await whileThere(client, (gone) => route(to, run, gone));
  switch (reached.kind) {
    case 'refused':
      return refuse(403, refusalText(reached.refusal));
    case 'failed':
      return refuse(502, reached.message);
    case 'connected':
      client.write(CONNECTED);
      return tunnel({ client, server: reached.socket, to }, run, limits.helloMs);
  }
}
