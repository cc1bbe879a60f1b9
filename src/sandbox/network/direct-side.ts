/**
 * Clients that know of no proxy: they asked the resolver for an allowed host, were given an address that is ours, and now
 * speak to it as if it were the host. Which one they mean is in their first message. Nobody can tell whose connection it
 * is, so only what every run allows is allowed.
 */
import type { Socket } from 'node:net';

import { parseClientHello } from './client-hello.js';
import { parseAuthority, parseHost } from './destination.js';
import type { Destination } from './destination.js';
import type { Parsed } from './parsed.js';
import { answerAndClose, plainAnswer } from './plain-answer.js';
import type { ProxyParts } from './proxy-parts.js';
import { readAhead } from './read-ahead.js';
import { refusalText } from './refusal.js';
import { TLS_PORT } from './server-name.js';
import { tunnel } from './tunnel.js';
import { whileThere } from './while-there.js';

const MOST_BYTES = 16_384;

export async function serveDirect(client: Socket, port: number, { runs, route, limits }: ProxyParts): Promise<void> {
  const parse = port === TLS_PORT ? namedInHello : namedInHead;
  const ahead = await readAhead(client, parse, { bytes: MOST_BYTES, ms: limits.helloMs });
  const run = runs.everybody();
  if (ahead.kind === 'cut-short' || run === undefined) return void client.destroy();
  run.hold(client);
  const to = ahead.value;
  const reached = await whileThere(client, (gone) => route(to, run, gone));
  if (reached.kind === 'connected') return tunnel({ client, server: reached.socket, to }, run, limits.helloMs);
  if (port === TLS_PORT || reached.kind === 'gone') return void client.destroy();
  const [status, text] = reached.kind === 'refused' ? [403, refusalText(reached.refusal)] : [502, reached.message];
  answerAndClose(client, plainAnswer(status, text));
}

/** All of it is put back: whoever holds the tunnel to its host reads it again. */
function namedInHello(bytes: Buffer): Parsed<Destination> {
  const hello = parseClientHello(bytes);
  if (hello.kind === 'more') return hello;
  const to =
    hello.kind === 'hello' && hello.serverName !== undefined ? parseHost(hello.serverName, TLS_PORT) : undefined;
  return to === undefined ? { kind: 'bad' } : { kind: 'done', value: to, length: 0 };
}

const HTTP_PORT = 80;

/** Two hosts are none. */
function namedInHead(bytes: Buffer): Parsed<Destination> {
  const head = bytes.toString('latin1');
  const end = head.indexOf('\r\n\r\n');
  if (end === -1) return { kind: 'more' };
  const [host, ...others] = [...head.slice(0, end).matchAll(/\r\nhost:[ \t]*([^\r\n]*?)[ \t]*(?=\r\n|$)/gi)];
  const to = host === undefined || others.length > 0 ? undefined : parseAuthority(host[1] ?? '', HTTP_PORT);
  return to?.port === HTTP_PORT ? { kind: 'done', value: to, length: 0 } : { kind: 'bad' };
}
