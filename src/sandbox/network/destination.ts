/**
 * Where somebody wants to go, in one spelling. Everything after this file, from the list of hosts to the lookup and the
 * `Host` header, uses that spelling and never what was written.
 */
import { isIP } from 'node:net';

import { hostName } from '../../core/host-name.js';

export type Destination = { readonly host: string; readonly port: number };

/** Reads `host:port`; whoever would see two hosts in it, or none, gets nothing. */
export function parseAuthority(text: string, defaultPort?: number): Destination | undefined {
  const [, bracketed, bare, digits] = /^(?:\[([^[\]]*)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed === undefined ? plainHost(bare ?? '') : plainAddress(bracketed);
  const port = digits === undefined ? defaultPort : Number(digits);
  return host !== undefined && port !== undefined && isPort(port) ? { host, port } : undefined;
}

/** A name or an address as other protocols hand it over, without brackets. */
export function parseHost(text: string, port: number): Destination | undefined {
  const host = text.includes(':') ? plainAddress(text) : plainHost(text);
  return host !== undefined && isPort(port) ? { host, port } : undefined;
}

/** The way back: `host:port`, with brackets where they are needed. */
export function authorityOf({ host, port }: Destination): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65_535;
}

function plainHost(text: string): string | undefined {
  if (text === '' || /[\s/\\?#@%*:]/.test(text)) return undefined;
  const host = hostName(text);
  return isIP(host) === 4 || isName(host) ? host : undefined;
}

/** The zone of an address says by which cable it is reached, not who is there. */
function plainAddress(text: string): string | undefined {
  const host = hostName(`[${text.replace(/%[\w.-]+$/, '')}]`);
  return isIP(host) === 0 ? undefined : host;
}

/** A last label of digits would be an address to some readers. */
function isName(host: string): boolean {
  const labels = host.split('.');
  return (
    host.length <= 253 &&
    labels.every((label) => /^[a-z\d_][a-z\d_-]{0,62}$/.test(label)) &&
    !/^(?:\d+|0x[\da-f]*)$/.test(labels.at(-1) ?? '')
  );
}
