/** TLS through a proxy: it is asked to connect, and from then on only passes bytes on. */
import type { Socket } from 'node:net';
import type { SecureContext, TLSSocket } from 'node:tls';

import { address } from './address.js';
import { basicCredentials } from './basic-credentials.js';
import { connectionError } from './network-words.js';
import type { ProxyChoice } from './proxy-choice.js';
import { proxyPeer, proxyRefused } from './proxy-words.js';

type Terms = { readonly connectMs: number; readonly life: AbortSignal; readonly context: SecureContext };

type Wanted = { readonly host: string; readonly port: number; readonly servername?: string };

/** Takes the place of an agent's own way to connect. */
type CreateConnection = (wanted: Wanted, settle: (error: Error | null, socket?: TLSSocket) => void) => void;

export async function tunnelThrough(proxy: ProxyChoice, terms: Terms): Promise<CreateConnection> {
  const { connect } = await import('node:tls');
  return ({ host, port, servername = '' }, settle) => {
    askToConnect(proxy, authority(host, port), terms).then(
      (socket) =>
        settle(null, connect({ socket, host, servername, secureContext: terms.context, ALPNProtocols: ['http/1.1'] })),
      settle,
    );
  };
}

function authority(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function askToConnect(proxy: ProxyChoice, target: string, { connectMs, life }: Terms): Promise<Socket> {
  const { request } = await (proxy.url.protocol === 'https:' ? import('node:https') : import('node:http'));
  const login = basicCredentials(proxy.url);
  const headers = { host: target, ...(login !== undefined && { 'proxy-authorization': login }) };
  return new Promise((resolve, reject) => {
    const asked = request({
      ...address(proxy.url),
      method: 'CONNECT',
      path: target,
      headers,
      agent: false,
      signal: life,
    });
    const patience = setTimeout(() => {
      asked.destroy(connectionError({ code: 'ETIMEDOUT' }, proxyPeer(proxy)));
    }, connectMs);
    asked.once('connect', ({ statusCode = 0 }, socket) => {
      clearTimeout(patience);
      if (statusCode >= 200 && statusCode < 300) return resolve(socket);
      socket.destroy();
      reject(proxyRefused(proxy, target, statusCode));
    });
    asked.on('error', (error) => {
      clearTimeout(patience);
      reject(connectionError(error, proxyPeer(proxy)));
    });
    asked.end();
  });
}
