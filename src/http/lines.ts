/** The ways to servers: straight, through a proxy that reads along (http), or through its tunnel (https). */
import type { Agent, RequestOptions } from 'node:http';

import { address } from './address.js';
import { basicCredentials } from './basic-credentials.js';
import type { Peer } from './network-words.js';
import { proxyFor } from './proxy-choice.js';
import type { Environment, ProxyChoice } from './proxy-choice.js';
import { proxyPeer } from './proxy-words.js';
import { createWays } from './ways.js';
import type { Way } from './ways.js';

/** How the requests to one server are made. */
export type Line = {
  readonly request: Way['request'];
  readonly options: RequestOptions;
  /** What has to be said on this way, besides what the request says. */
  readonly headers: Readonly<Record<string, string>>;
  readonly isEncrypted: boolean;
  /** Whom the connection is to, and whom the request is for. */
  readonly peer: Peer;
  readonly server: Peer;
  /** That reads along, and so may answer in the server's place. */
  readonly proxy?: ProxyChoice;
  /** Closes the connections that nobody uses. */
  readonly dropIdle: () => void;
};

export interface Lines {
  to(url: URL): Promise<Line>;
  close(): void;
}

export function createLines(env: Environment, connectMs: number): Lines {
  const ways = createWays(connectMs);
  return {
    to: async (url) => {
      const proxy = proxyFor(url, env);
      if (proxy === undefined) return straight(url, await ways.direct(url));
      if (url.protocol === 'https:') return straight(url, await ways.tunnel(proxy));
      return forwarded(url, proxy, await ways.direct(proxy.url));
    },
    close: () => ways.close(),
  };
}

function straight(url: URL, { agent, ...way }: Way): Line {
  const server = { whom: url.origin, origin: url.origin };
  return {
    ...way,
    options: { ...address(url), path: `${url.pathname}${url.search}`, agent },
    headers: {},
    peer: server,
    server,
    dropIdle: () => dropIdle(agent),
  };
}

function forwarded(url: URL, proxy: ProxyChoice, { agent, ...way }: Way): Line {
  const login = basicCredentials(proxy.url);
  return {
    ...way,
    options: { ...address(proxy.url), path: `${url.origin}${url.pathname}${url.search}`, agent },
    headers: { host: url.host, ...(login !== undefined && { 'proxy-authorization': login }) },
    peer: proxyPeer(proxy),
    server: { whom: url.origin, origin: url.origin },
    proxy,
    dropIdle: () => dropIdle(agent),
  };
}

function dropIdle(agent: Agent): void {
  for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
}
