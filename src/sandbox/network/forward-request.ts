/**
 * One plain HTTP request with a whole address in it. It is read, judged and written anew: what goes out is never what
 * came in, so that nothing can be hidden between two readings of it.
 */
import { request as httpRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';

import { messageOf } from '../../core/errors.js';
import { authorityOf } from './destination.js';
import { requestHeaders, responseHeaders } from './http-headers.js';
import { parseTarget } from './http-target.js';
import type { HttpTarget } from './http-target.js';
import { CHALLENGE, CHALLENGE_TEXT, tokenOf } from './proxy-authorization.js';
import type { ProxyParts } from './proxy-parts.js';
import { refusalText } from './refusal.js';
import { whileThere } from './while-there.js';

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

export async function forwardRequest(exchange: Exchange, { runs, route }: ProxyParts): Promise<void> {
  const { request, response } = exchange;
  const run = runs.find(tokenOf(request));
  if (run === undefined) {
    response.setHeader(CHALLENGE.name, CHALLENGE.value);
    return answer(response, 407, CHALLENGE_TEXT);
  }
  run.hold(request.socket);
  // Nobody changes the protocol here, but what follows such a request might be meant in another one.
  if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
  const target = parseTarget(request);
  if ('reason' in target) return answer(response, 403, refusalText(run.refuse(target)));
  const reached = await whileThere(request.socket, (gone) => route(target.to, run, gone));
  switch (reached.kind) {
    case 'refused':
      return answer(response, 403, refusalText(reached.refusal));
    case 'failed':
      return answer(response, 502, reached.message);
    case 'connected':
      return relay(exchange, target, reached.socket);
  }
}

function answer(response: ServerResponse, status: number, text: string): void {
  const body = Buffer.from(`${text}\n`);
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': body.length });
  response.end(body);
}

/** Each request has a connection of its own: the next one may go elsewhere. */
function relay({ request, response }: Exchange, { to, path }: HttpTarget, socket: Socket): void {
  if (request.socket.destroyed) return void socket.destroy();
  const fail = (error: unknown): void => {
    if (response.headersSent) return;
    answer(response, 502, `tenon: ${authorityOf(to)} gave no answer: ${messageOf(error)}`);
  };
  const outgoing = httpRequest({
    method: request.method,
    path,
    headers: requestHeaders(request, to),
    createConnection: () => socket,
  });
  outgoing.on('response', (incoming) => {
    try {
      response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage, responseHeaders(incoming));
      pipeline(incoming, response, () => {});
    } catch (error) {
      fail(error);
      outgoing.destroy();
    }
  });
  outgoing.on('error', fail);
  outgoing.on('close', () => {
    fail(new Error('the connection was closed'));
    // The rest of a body that nobody wants any more must not hold up the connection.
    request.unpipe(outgoing).resume();
  });
  response.on('close', () => socket.destroy());
  request.pipe(outgoing);
}
