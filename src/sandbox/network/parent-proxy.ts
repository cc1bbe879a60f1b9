/** Going out through the proxy that this machine itself has to use. */
import type { Socket } from 'node:net';

import { ConfigError } from '../../core/errors.js';
import { connect } from './connect.js';
import { authorityOf } from './destination.js';
import type { Destination } from './destination.js';
import { readAhead } from './read-ahead.js';
import type { Parsed } from './parsed.js';
import { unlessGone } from './while-there.js';

export type ThroughParent = (to: Destination, gone: AbortSignal) => Promise<Socket>;

const HEAD_LIMITS = { bytes: 16_384, ms: 30_000 };

/** Everything goes through `CONNECT`, plain HTTP too, so that there is one way only. */
export function createParentProxy(url: URL): ThroughParent {
  if (url.protocol !== 'http:') {
    throw new ConfigError(`the proxy ${url.protocol}//${url.host} cannot be used. Give one that begins with http:`);
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return async (to, gone) => {
    const socket = await connect(host, Number(url.port || 80), gone);
    try {
      socket.write(connectHead(to, url));
      const answer = await unlessGone(gone, readAhead(socket, parseStatus, HEAD_LIMITS));
      if (answer.kind === 'cut-short') throw new Error('the parent proxy gave no answer');
      if (answer.value < 200 || answer.value > 299) throw new Error(`the parent proxy answered ${answer.value}`);
      return socket;
    } catch (error) {
      socket.destroy();
      throw error;
    }
  };
}

function connectHead(to: Destination, { username, password }: URL): string {
  const authority = authorityOf(to);
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  const authorization = username === '' ? '' : `Proxy-Authorization: Basic ${login}\r\n`;
  return `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${authorization}\r\n`;
}

function parseStatus(bytes: Buffer): Parsed<number> {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return { kind: 'more' };
  const status = /^HTTP\/1\.[01] (\d{3})(?: |\r)/.exec(bytes.toString('latin1', 0, end + 2))?.[1];
  return status === undefined ? { kind: 'bad' } : { kind: 'done', value: Number(status), length: end + 4 };
}
