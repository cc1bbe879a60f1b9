/** The ways to servers: straight, through a proxy that reads along (http), or through its tunnel (https). */
import type { Agent, ClientRequest, RequestOptions } from 'node:http';

import { once } from '../core/once.js';
import { address } from './address.js';
import { basicCredentials } from './basic-credentials.js';
import type { Peer } from './network-words.js';
import { proxyFor } from './proxy-choice.js';
import type { Environment, ProxyChoice } from './proxy-choice.js';
import { proxyPeer } from './proxy-words.js';
import { tunnelThrough } from './tunnel.js';

/** How the requests to one server are made. */
export type Line = {
  readonly request: (options: RequestOptions) => ClientRequest;
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

const KEPT = { keepAlive: true, scheduling: 'lifo', maxFreeSockets: 8 } as const;

type Way = Pick<Line, 'request' | 'isEncrypted'> & { readonly agent: Agent };

export function createLines(env: Environment, connectMs: number): Lines {
  const life = new AbortController();
  const tunnels = new Map<string, Promise<Way>>();
  const context = once(async () => (await import('node:tls')).createSecureContext());

  const plain = once(async (): Promise<Way> => {
    const { Agent, request } = await import('node:http');
    return { request, agent: new Agent(KEPT), isEncrypted: false };
  });
  const encrypted = once(async (): Promise<Way> => {
    const { Agent, request } = await import('node:https');
    return { request, agent: new Agent({ ...KEPT, secureContext: await context() }), isEncrypted: true };
  });
  const openTunnel = async (proxy: ProxyChoice): Promise<Way> => {
    const { Agent, request } = await import('node:https');
    const createConnection = await tunnelThrough(proxy, { connectMs, life: life.signal, context: await context() });
    return { request, agent: Object.assign(new Agent(KEPT), { createConnection }), isEncrypted: true };
  };
  const tunnel = (proxy: ProxyChoice): Promise<Way> => {
    const way = tunnels.get(proxy.url.href) ?? openTunnel(proxy);
    tunnels.set(proxy.url.href, way);
    return way;
  };
  const bySchemeOf = ({ protocol }: URL): Promise<Way> => (protocol === 'https:' ? encrypted() : plain());

  return {
    to: async (url) => {
      const proxy = proxyFor(url, env);
      if (proxy === undefined) return straight(url, await bySchemeOf(url));
      if (url.protocol === 'https:') return straight(url, await tunnel(proxy));
      return forwarded(url, proxy, await bySchemeOf(proxy.url));
    },
    close: () => {
      life.abort();
      for (const way of [plain.started(), encrypted.started(), ...tunnels.values()]) {
        void way?.then(({ agent }) => agent.destroy());
      }
    },
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
