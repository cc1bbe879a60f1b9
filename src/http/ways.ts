/** Connections and who keeps them: one agent for each scheme and for each proxy that tunnels, one TLS context for all. */
import type { Agent, ClientRequest, RequestOptions } from 'node:http';

import { once } from '../core/once.js';
import type { ProxyChoice } from './proxy-choice.js';
import { tunnelThrough } from './tunnel.js';

export type Way = {
  readonly request: (options: RequestOptions) => ClientRequest;
  readonly agent: Agent;
  readonly isEncrypted: boolean;
};

export interface Ways {
  direct(url: URL): Promise<Way>;
  tunnel(proxy: ProxyChoice): Promise<Way>;
  close(): void;
}

const KEPT = { keepAlive: true, scheduling: 'lifo', maxFreeSockets: 8 } as const;

export function createWays(connectMs: number): Ways {
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

  return {
    direct: async ({ protocol }) => (protocol === 'https:' ? encrypted() : plain()),
    tunnel: (proxy) => {
      const way = tunnels.get(proxy.url.href) ?? openTunnel(proxy);
      tunnels.set(proxy.url.href, way);
      return way;
    },
    close: () => {
      life.abort();
      for (const way of [plain.started(), encrypted.started(), ...tunnels.values()]) {
        void way?.then(({ agent }) => agent.destroy());
      }
    },
  };
}
