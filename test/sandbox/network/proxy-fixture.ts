/** A proxy on a port of its own, and things to reach through it. */
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { onTestFinished } from 'vitest';

import { hostList } from '../../../src/sandbox/network/host-list.js';
import { createNetworkProxy } from '../../../src/sandbox/network/proxy.js';
import type { NetworkProxyOptions } from '../../../src/sandbox/network/proxy.js';
import type { Refusal } from '../../../src/sandbox/network/refusal.js';
import type { RunOptions } from '../../../src/sandbox/network/runs.js';

export async function startProxy(options: NetworkProxyOptions = {}) {
  const proxy = createNetworkProxy({ resolve: () => Promise.resolve(['127.0.0.1']), ...options });
  const server = createServer();
  proxy.serve(server);
  onTestFinished(() => proxy.close());
  const port = await listen(server);
  /** Names may lead to this machine unless a test says otherwise. */
  const openRun = (allowed: readonly string[], run: Partial<RunOptions> = {}) => {
    const refusals: Refusal[] = [];
    const onRefused = (refusal: Refusal): void => void refusals.push(refusal);
    const opened = proxy.open({ ...hostList(allowed), allowsPrivate: () => true, onRefused, ...run });
    return { refusals, token: opened.token, close: () => opened.close(), login: loginLine(opened.token) };
  };
  return { proxy, port, openRun };
}

export function loginLine(token: string): string {
  return `Proxy-Authorization: Basic ${Buffer.from(`tenon:${token}`).toString('base64')}\r\n`;
}

export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Ends with the test, with every connection it has. */
export async function startServer(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    onConnection(socket);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return listen(server);
}

/** Says everything back, and goodbye only after it has heard it. */
export function startEcho(): Promise<number> {
  return startServer((socket) => void socket.pipe(socket));
}

type Seen = Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'> & { readonly body: string };

/** Answers with what it saw. */
export async function startOrigin() {
  const seen: Seen[] = [];
  const server = createHttpServer((request, response) => {
    let body = '';
    request.setEncoding('latin1').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      seen.push({ method: request.method, url: request.url, rawHeaders: request.rawHeaders, body });
      response.writeHead(200, { 'Set-Cookie': ['a=1', 'b=2'], Connection: 'close, X-Hop', 'X-Hop': 'secret' });
      response.end(`seen ${request.headers.host}${request.url}`);
    });
  });
  onTestFinished(() => void server.close());
  return { seen, port: await listen(server) };
}

/** A proxy as companies have them: it reaches everything at `port`. */
export async function startParent(port: number) {
  const heads: string[] = [];
  const url = await startServer((socket) => {
    socket.once('data', (head) => {
      heads.push(head.toString());
      socket.write('HTTP/1.1 200 OK\r\nX-Parent: yes\r\n\r\n');
      const server = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      server.on('error', () => socket.destroy());
      socket.on('close', () => server.destroy());
      socket.pipe(server).pipe(socket);
    });
  });
  return { heads, url: new URL(`http://us%40er:se%3Acret@127.0.0.1:${url}`) };
}

export type Talk = {
  readonly socket: Socket;
  /** Waits until this was heard, since the last time. */
  readonly hears: (text: string) => Promise<string>;
  /** Everything that was not asked for yet, once the other side has closed. */
  readonly rest: () => Promise<string>;
};

export async function talkTo(port: number): Promise<Talk> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  let heard = '';
  const over = new AbortController();
  let wake = (): void => {};
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    heard += chunk.toString('latin1');
    wake();
  });
  const end = (): void => {
    over.abort();
    wake();
  };
  socket.on('end', end).on('close', end);
  const until = async (isHeard: () => boolean): Promise<void> => {
    while (!isHeard()) {
      if (over.signal.aborted) throw new Error(`the connection ended after ${JSON.stringify(heard)}`);
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  const take = (length: number): string => {
    const taken = heard.slice(0, length);
    heard = heard.slice(length);
    return taken;
  };
  return {
    socket,
    async hears(text) {
      await until(() => heard.includes(text));
      return take(heard.indexOf(text) + text.length);
    },
    async rest() {
      while (!over.signal.aborted) await new Promise<void>((resolve) => (wake = resolve));
      return take(heard.length);
    },
  };
}

/** Says one thing and gives back all that is answered. */
export async function say(port: number, bytes: string | Buffer): Promise<string> {
  const talk = await talkTo(port);
  talk.socket.write(bytes);
  return talk.rest();
}

/** The first bytes of a real TLS client. */
export async function clientHello(serverName: string | undefined): Promise<Buffer> {
  let resolveHello: (hello: Buffer) => void;
  const heard = new Promise<Buffer>((resolve) => (resolveHello = resolve));
  const port = await startServer((socket) => void socket.once('data', (hello) => resolveHello(hello)));
  const client = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, servername: serverName ?? '' });
  client.on('error', () => {});
  try {
    return await heard;
  } finally {
    client.destroy();
  }
}
