/** Where a plain HTTP request wants to go, if it says so in one way only. */
import type { IncomingMessage } from 'node:http';

import { parseAuthority } from './destination.js';
import type { Destination } from './destination.js';
import { malformed } from './refusal.js';
import type { Refusal } from './refusal.js';

export type HttpTarget = { readonly to: Destination; readonly path: string };

const HTTP_PORT = 80;

export function parseTarget(request: IncomingMessage): HttpTarget | Refusal {
  const url = request.url ?? '';
  const [, authority, rest = ''] = /^http:\/\/([^/?#]*)([^#]*)$/i.exec(url) ?? [];
  if (authority === undefined) return malformed(url.replace(/[?#].*$/s, ''));
  const to = parseAuthority(authority, HTTP_PORT);
  if (to === undefined || !isClear(request)) return malformed(authority);
  return { to, path: rest.startsWith('/') ? rest : `/${rest}` };
}

/** One host, and a body whose length everybody reads the same way. */
function isClear({ rawHeaders }: IncomingMessage): boolean {
  const valuesOf = (name: string): readonly string[] =>
    rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
  const encodings = valuesOf('transfer-encoding');
  const isPlain = encodings.length === 0 || (encodings.length === 1 && encodings[0]?.toLowerCase() === 'chunked');
  return valuesOf('host').length <= 1 && isPlain && valuesOf('content-length').length + encodings.length <= 1;
}
