/**
 * Holds a tunnel to the host it was opened for: the server name of TLS has to be that host, or an allowed address that
 * serves many names would be a door to all of them. On port 443 nothing but TLS passes; elsewhere TLS is held to the
 * same where it is seen. A hello with an encrypted one inside is refused: only the cover of it could be checked, and
 * browsers that merely pretend to have one cannot be told from those that do.
 */
import { isIP } from 'node:net';
import type { Socket } from 'node:net';

import { parseClientHello } from './client-hello.js';
import type { ClientHello } from './client-hello.js';
import { parseHost } from './destination.js';
import type { Destination } from './destination.js';
import { readAhead } from './read-ahead.js';
import { shown } from './refusal.js';
import type { Refusal } from './refusal.js';
import type { Parsed } from './parsed.js';

export const TLS_PORT = 443;
const HELLO_BYTES = 16_384;

/** Reads no more than it needs and puts it all back. Nothing to say about a client that says nothing. */
export async function checkServerName(client: Socket, to: Destination, ms: number): Promise<Refusal | undefined> {
  const ahead = await readAhead(client, wholeHello, { bytes: HELLO_BYTES, ms });
  if (ahead.kind === 'read') return judgeHello(ahead.value, to);
  return ahead.held === 0 ? undefined : { ...to, reason: 'not-tls' };
}

function wholeHello(bytes: Buffer): Parsed<ClientHello> {
  const hello = parseClientHello(bytes);
  return hello.kind === 'more' ? hello : { kind: 'done', value: hello, length: 0 };
}

export function judgeHello(hello: ClientHello, to: Destination): Refusal | undefined {
  const isStrict = to.port === TLS_PORT;
  if (hello.kind === 'not-tls' && !isStrict) return undefined;
  if (hello.kind !== 'hello') return { ...to, reason: 'not-tls' };
  if (hello.hidden) return { ...to, reason: 'hidden-server-name' };
  if (hello.serverName === undefined) {
    return isStrict && isIP(to.host) === 0 ? { ...to, reason: 'no-server-name' } : undefined;
  }
  if (parseHost(hello.serverName, to.port)?.host === to.host) return undefined;
  return { host: shown(hello.serverName), port: to.port, reason: 'wrong-server-name' };
}
