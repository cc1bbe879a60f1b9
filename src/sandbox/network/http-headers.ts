/** Headers as they are passed on: without those that are meant for one connection only. */
import type { IncomingMessage } from 'node:http';

import { authorityOf } from './destination.js';
import type { Destination } from './destination.js';

const FOR_ONE_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Said anew from what was judged; "continue" has been answered by then. */
const SAID_ANEW: ReadonlySet<string> = new Set(['host', 'content-length', 'expect']);

/** Names and values in turn. */
export function requestHeaders(request: IncomingMessage, to: Destination): string[] {
  const { headers } = request;
  const host = authorityOf(to).replace(/:80$/, '');
  const length =
    headers['transfer-encoding'] === undefined
      ? ['Content-Length', headers['content-length'] ?? '0']
      : ['Transfer-Encoding', 'chunked'];
  const hasBody = length[1] !== '0' || !BODILESS.has(request.method ?? '');
  return ['Host', host, ...passedOn(request, SAID_ANEW), ...(hasBody ? length : [])];
}

export function responseHeaders(response: IncomingMessage): string[] {
  return passedOn(response, new Set());
}

/** They need not say that there is nothing. */
const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

function passedOn({ rawHeaders, headers }: IncomingMessage, others: ReadonlySet<string>): string[] {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  return rawHeaders.filter((_, index) => {
    const name = rawHeaders[index - (index % 2)]?.toLowerCase() ?? '';
    return !FOR_ONE_CONNECTION.has(name) && !others.has(name) && !named.has(name);
  });
}
