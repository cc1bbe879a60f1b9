/**
 * The proxy that is the only way out of a command's network. One port speaks HTTP, `CONNECT` and SOCKS5; every
 * connection belongs to a run, by its token, and every request in it is judged anew. It sees the names in HTTP, SOCKS
 * and TLS; what is said inside of an encrypted connection to an allowed host it cannot see.
 */
import type { Server, Socket } from 'node:net';

import { serveDirect } from './direct-side.js';
import { createHttpSide } from './http-side.js';
import { DEFAULT_LIMITS } from './proxy-parts.js';
import type { ProxyLimits } from './proxy-parts.js';
import { createParentProxy } from './parent-proxy.js';
import { readAhead } from './read-ahead.js';
import { createRoute } from './route.js';
import type { Resolve } from './route.js';
import { createRuns } from './runs.js';
import type { OpenRun, RunOptions } from './runs.js';
import { refuseSocks4, serveSocks } from './socks-side.js';
import type { Parsed } from './parsed.js';

export interface NetworkProxy {
  /** Takes over the connections of a server that listens; closing the proxy closes it. */
  serve(server: Server): void;
  /** The same for clients that take it for the host they speak to, on this port of it. */
  serveDirect(server: Server, port: number): void;
  /** A run of a command. Closing it ends all that it has open. */
  open(run: RunOptions): OpenRun;
  close(): Promise<void>;
}

export type NetworkProxyOptions = {
  /** All addresses of a name. Absent: as the system has it. */
  readonly resolve?: Resolve;
  /** A proxy that this machine itself has to use. It looks names up, so that their addresses cannot be checked here. */
  readonly upstream?: URL;
  readonly limits?: Partial<ProxyLimits>;
};

/** Throws a `ConfigError` for an upstream of a kind that cannot be used. */
export function createNetworkProxy({ resolve, upstream, limits: given }: NetworkProxyOptions = {}): NetworkProxy {
  const limits = { ...DEFAULT_LIMITS, ...given };
  const runs = createRuns();
  const parts = { runs, limits, route: createRoute(resolve, upstream && createParentProxy(upstream)) };
  const serveHttp = createHttpSide(parts);
  const servers = new Set<Server>();
  const clients = new Set<Socket>();

  return {
    serve: (server) => take(server, welcome),
    serveDirect: (server, port) => take(server, (client) => serveDirect(client, port, parts)),
    open: (run) => runs.open(run),
    async close() {
      runs.closeAll();
      const closed = [...servers].map((server) => new Promise((resolved) => server.close(resolved)));
      for (const client of clients) client.destroy();
      await Promise.all(closed);
    },
  };

  function take(server: Server, welcomeTo: (client: Socket) => Promise<void>): void {
    server.maxConnections = limits.connections;
    servers.add(server);
    server.once('close', () => servers.delete(server));
    server.on('connection', (client) => {
      clients.add(client);
      client.once('close', () => clients.delete(client));
      // Connections break at any time; whoever uses one sees its `close`.
      client.on('error', () => {});
      client.on('timeout', () => client.destroy());
      client.setTimeout(limits.idleMs);
      client.allowHalfOpen = true;
      welcomeTo(client).catch(() => client.destroy());
    });
  }

  async function welcome(client: Socket): Promise<void> {
    const first = await readAhead(client, firstByte, { bytes: 1, ms: limits.helloMs });
    if (first.kind === 'cut-short') return void client.destroy();
    switch (protocolOf(first.value)) {
      case 'http':
        return serveHttp(client);
      case 'socks5':
        return serveSocks(client, parts);
      case 'socks4':
        return refuseSocks4(client);
      case 'unknown':
        return void client.destroy();
    }
  }
}

function firstByte(bytes: Buffer): Parsed<number> {
  return { kind: 'done', value: bytes[0] ?? 0, length: 0 };
}

/** HTTP begins with the name of a method. */
function protocolOf(first: number): 'http' | 'socks5' | 'socks4' | 'unknown' {
  if (first === 5) return 'socks5';
  if (first === 4) return 'socks4';
  return /[A-Za-z]/.test(String.fromCharCode(first)) ? 'http' : 'unknown';
}
