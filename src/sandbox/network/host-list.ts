/** The hosts a command may reach: `example.com`, `*.example.com` for all below it, `*` for every host. */
import { isIP } from 'node:net';

import { hostName } from '../../core/host-name.js';

export interface HostList {
  readonly allows: (host: string) => boolean;
  /** Whether it may lie in a private network: only an address that is listed itself, or `localhost` by its name. */
  readonly allowsPrivate: (host: string) => boolean;
}

export function hostList(allowed: readonly string[]): HostList {
  const patterns = new Set(allowed.map(pattern));
  return {
    allows: (host) => patternsOver(hostName(host)).some((each) => patterns.has(each)),
    allowsPrivate: (host) => {
      const name = hostName(host);
      return patterns.has(name) && (name === 'localhost' || isIP(name) !== 0);
    },
  };
}

function pattern(text: string): string {
  const below = /^\*\.(.+)$/s.exec(text)?.[1];
  return below === undefined ? hostName(text) : `*.${hostName(below)}`;
}

/** Addresses have nothing below them: only names are cut at their dots. */
function patternsOver(host: string): readonly string[] {
  if (isIP(host) !== 0) return [host, '*'];
  const labels = host.split('.');
  return [host, '*', ...labels.slice(1).map((_, index) => `*.${labels.slice(index + 1).join('.')}`)];
}
