/** Servers of this machine for tests of the client: real sockets, and every connection counted. */
import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export type TestServer = { readonly port: number; readonly origin: string; readonly connections: () => number };

/** Speaks HTTP. */
export function httpServer(respond: (...args: Parameters<RequestListener>) => unknown): Promise<TestServer> {
  return listening(
    createHttpServer({ keepAlive: true }, (...args) => void respond(...args)),
    'http',
  );
}

/** Speaks whatever `talk` says. */
export function rawServer(talk: (socket: Socket) => void): Promise<TestServer> {
  return listening(createServer(talk), 'http');
}

export async function listening(server: Server, scheme: 'http' | 'https'): Promise<TestServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, origin: `${scheme}://127.0.0.1:${port}`, connections: () => connections };
}

/** A port at which nobody listens. */
export async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A promise that somebody else keeps. */
export function pledge<Value>(): { readonly promise: Promise<Value>; readonly resolve: (value: Value) => void } {
  let resolve: ((value: Value) => void) | undefined;
  const promise = new Promise<Value>((keep) => {
    resolve = keep;
  });
  return { promise, resolve: (value) => resolve?.(value) };
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

export type TestProxy = TestServer & {
  /** What was asked of it: `GET http://…` or `CONNECT host:port`, and the login. */
  readonly seen: readonly string[];
};

/** A forward proxy: wherever a request is to, it ends at `port`. Without the right login it answers 407. */
export async function forwardProxy(port: number, login?: string): Promise<TestProxy> {
  const seen: string[] = [];
  const isWelcome = (request: IncomingMessage): boolean => {
    const given = request.headers['proxy-authorization'];
    const name = given === undefined ? '' : ` ${Buffer.from(given.replace('Basic ', ''), 'base64').toString()}`;
    seen.push(`${request.method} ${request.url}${name}`);
    return login === undefined || name === ` ${login}`;
  };
  const server = createHttpServer((request, response) => {
    if (isWelcome(request)) forward(request, response);
    else response.writeHead(407, { 'proxy-authenticate': 'Basic' }).end('no');
  });
  server.on('connect', (request, socket: Socket) => {
    if (!isWelcome(request)) return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
    socket.on('error', () => onward.destroy());
  });
  return { ...(await listening(server, 'http')), seen };
}

/** Answers in the server's place: who it is for is enough for the tests. */
function forward(request: IncomingMessage, response: ServerResponse): void {
  response.end(`${request.method} for ${request.headers.host}`);
}
