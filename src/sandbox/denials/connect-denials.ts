/**
 * Which connections the sandbox stopped, from what was seen of them: the proxy's refusals and the names asked of the
 * resolver name the host, the kernel knows only an address. Output is not looked at; programs hide these errors.
 */
import { hostName } from '../../core/host-name.js';
import type { Denial } from '../../core/workspace.js';
import type { RefusalReason } from '../network/refusal.js';
import type { Address } from './addresses.js';

/** A call that was seen on its way into the kernel, and not let through. `socket` has no address. */
export type ConnectionAttempt = Address & { readonly call: 'connect' | 'sendto' | 'socket' };

/** `reason`: whether a right to it would have helped, or it was refused for what it is. */
export type RefusedHost = { readonly host: string; readonly port: number; readonly reason: RefusalReason };

export type ConnectEvidence = {
  readonly connections: readonly ConnectionAttempt[];
  /** Hosts that the proxy refused. */
  readonly refusedHosts: readonly RefusedHost[];
  /** Names that were asked of the resolver, allowed ones too; `shared` when others may have asked for them as well. */
  readonly askedNames: readonly string[];
  readonly shared: boolean;
};

/** Each host once, with the best proof there is for it. */
export function connectDenials(evidence: ConnectEvidence, isAllowed: (host: string) => boolean): readonly Denial[] {
  const names = hostsAmong(evidence.askedNames).filter((name) => !isAllowed(name));
  const found = [
    ...evidence.refusedHosts.map(({ host, reason }) =>
      denial(hostName(host), reason === 'not-listed' ? 'proxy' : 'inferred'),
    ),
    ...names.map((name) => denial(name, evidence.shared ? 'inferred' : 'broker')),
    ...addressesAmong(evidence).map((address) => denial(address, isAllowed(address) ? 'inferred' : 'kernel')),
  ];
  const told = found.filter(({ target }) => HOST.test(target));
  const denials = new Map(told.toReversed().map((each) => [each.target, each]));
  if (denials.size === 0 && evidence.askedNames.length === 0 && evidence.connections.some(isUnknown))
    return [denial(UNKNOWN_HOST, 'inferred')];
  return [...denials.values()].toReversed().slice(0, MOST_DENIALS);
}

/** A command may ask for any bytes at all; people are shown only what can be a host. */
const HOST = /^[\w.:-]{1,253}$/;
const MOST_DENIALS = 8;
const UNKNOWN_HOST = 'an unknown host';

function denial(target: string, proof: Denial['proof']): Denial {
  return { kind: 'connect', target, proof };
}

/** Names of hosts that somebody wanted to reach, without those that resolvers make up and those that stay here. */
function hostsAmong(names: readonly string[]): readonly string[] {
  const hosts = new Set(names.map(hostName).filter((name) => !isOwn(name) && !SERVICE.test(name)));
  return [...hosts].filter((name) => !isSearched(name, hosts));
}

/** Questions about services and addresses, not about a host. */
const SERVICE = /(?:^|\.)_|\.arpa$/;

/** Whether it is another name with the machine's own domain put behind it. */
function isSearched(name: string, hosts: ReadonlySet<string>): boolean {
  const labels = name.split('.');
  return labels.some((_, count) => count > 1 && hosts.has(labels.slice(0, count).join('.')));
}

/** An address that is allowed was stopped all the same when the program passed by the proxy; no grant would help. */
function addressesAmong({ connections, askedNames }: ConnectEvidence): readonly string[] {
  return connections.flatMap(({ family, address, port }) => {
    if (address === undefined || (family !== 'inet' && family !== 'inet6') || isOwn(hostName(address))) return [];
    const isQuestion = port !== undefined && RESOLVER_PORTS.has(port);
    return isQuestion && askedNames.length > 0 ? [] : [hostName(address)];
  });
}

const RESOLVER_PORT = 53;
/** DNS, and its two forms for the local network. */
const RESOLVER_PORTS: ReadonlySet<number> = new Set([RESOLVER_PORT, 5353, 5355]);

/** The command's own machine, and the address that means just that when connected to. */
function isOwn(host: string): boolean {
  return /^(?:(?:.*\.)?localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|::1?)$/.test(host);
}

/** The network was wanted, but not even a socket was to be had, or nobody who knows names. */
function isUnknown({ call, family, address, port }: ConnectionAttempt): boolean {
  if (family !== 'inet' && family !== 'inet6') return false;
  return call === 'socket' || (address !== undefined && port === RESOLVER_PORT && isOwn(hostName(address)));
}
