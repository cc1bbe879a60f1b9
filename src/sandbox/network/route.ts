/**
 * The one way out: asks whether a host is allowed, looks it up once, checks every address, and connects to one of
 * exactly those. No second lookup means that a name cannot change its meaning between the check and the connection.
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Socket } from 'node:net';

import { messageOf } from '../../core/errors.js';
import { connectToFirst } from './connect.js';
import { authorityOf } from './destination.js';
import type { Destination } from './destination.js';
import type { ThroughParent } from './parent-proxy.js';
import { isPrivateAddress } from './private-address.js';
import type { Refusal } from './refusal.js';
import type { Run } from './runs.js';
import { unlessGone } from './while-there.js';

type Reached =
  | { readonly kind: 'connected'; readonly socket: Socket }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'gone' };

/** Never throws. */
export type Route = (to: Destination, run: Run, gone: AbortSignal) => Promise<Reached>;

export type Resolve = (host: string) => Promise<readonly string[]>;

/** With a parent proxy it is the parent who looks names up, so only addresses that are written out are checked. */
export function createRoute(resolve: Resolve = resolveBySystem, throughParent?: ThroughParent): Route {
  const reach: Route = async (to, run, gone) => {
    const refused = (reason: Refusal['reason']): Reached => ({
      kind: 'refused',
      refusal: run.refuse({ ...to, reason }),
    });
    if (!(await unlessGone(gone, run.allows(to, gone)))) return refused('not-listed');
    const addresses = await addressesOf(to.host);
    if (addresses.some(isPrivateAddress) && !run.allowsPrivate(to.host)) return refused('private-address');
    const socket = throughParent ? await throughParent(to, gone) : await connectToFirst(addresses, to.port, gone);
    return { kind: 'connected', socket };

    async function addressesOf(host: string): Promise<readonly string[]> {
      if (isIP(host) !== 0) return [host];
      if (throughParent) return isOwnName(host) ? ['127.0.0.1'] : [];
      return unlessGone(gone, resolve(host));
    }
  };
  return async (to, run, gone) => {
    try {
      return await reach(to, run, gone);
    } catch (error) {
      if (gone.aborted) return { kind: 'gone' };
      return { kind: 'failed', message: `tenon: could not reach ${authorityOf(to)}: ${messageOf(error)}` };
    }
  };
}

async function resolveBySystem(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

function isOwnName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}
