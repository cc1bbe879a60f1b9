/** What a person is told about a proxy. Its address may hold a password, which is left out. */
import { HttpError } from './http-error.js';
import type { Peer } from './network-words.js';
import type { ProxyChoice } from './proxy-choice.js';

export function proxyPeer({ url, variable }: ProxyChoice): Peer {
  const origin = `${url.protocol}//${url.host}`;
  return { whom: `the proxy ${origin} (from ${variable})`, origin };
}

export function proxyWantsLogin(proxy: ProxyChoice): HttpError {
  const advice = `write the address in ${proxy.variable} as http://user:password@host:port, with the right ones`;
  return new HttpError('unreachable', `${proxyPeer(proxy).whom} wants a user and a password: ${advice}`);
}

export function proxyRefused(proxy: ProxyChoice, target: string, status: number): HttpError {
  if (status === 407) return proxyWantsLogin(proxy);
  return new HttpError(
    'unreachable',
    `${proxyPeer(proxy).whom} does not connect to ${target} (status ${status}): ` +
      'check the address, or list the host in NO_PROXY if it can be reached directly',
  );
}
