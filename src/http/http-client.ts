/**
 * The one way to other machines: requests over connections that are kept, through the proxies of the environment, with
 * every wait bounded. Nothing is loaded before the first request, and nothing is tried again, but for one case: a kept
 * connection may be gone by the time it is used, and that is nobody's fault.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

import { exchange } from './exchange.js';
import type { Message } from './exchange.js';
import { createLines } from './lines.js';
import type { Line } from './lines.js';
import type { Environment } from './proxy-choice.js';
import { proxyWantsLogin } from './proxy-words.js';
import { responseChunks } from './response-chunks.js';

export type HttpRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** How long the other side may be silent. */
  readonly idleMs: number;
  readonly signal: AbortSignal;
};

export type HttpPost = HttpRequest & {
  /** Sent one after the other as they are. */
  readonly body: readonly Uint8Array[];
};

export type HttpResponse = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** To be read once. Whoever stops early waits for a moment, so that the connection can be kept if this was all. */
  readonly chunks: AsyncIterable<Buffer>;
};

/** Both throw an `HttpError`, a `ConfigError` for a proxy that cannot be used, or the signal's reason. */
export interface HttpClient {
  get(request: HttpRequest): Promise<HttpResponse>;
  post(request: HttpPost): Promise<HttpResponse>;
  /** Ends all connections, also those in use. */
  close(): void;
}

export type HttpClientOptions = {
  /** Where proxies are looked for. */
  readonly env: Environment;
  /** How long it may take until there is a connection. Default: 10 s. */
  readonly connectMs?: number;
};

const CONNECT_MS = 10_000;

export function createHttpClient({ env, connectMs = CONNECT_MS }: HttpClientOptions): HttpClient {
  const lines = createLines(env, connectMs);

  const send = async (request: HttpRequest, message: Pick<Message, 'method' | 'body'>): Promise<HttpResponse> => {
    const { url, headers, idleMs, signal } = request;
    signal.throwIfAborted();
    const line = await lines.to(new URL(url));
    const incoming = await answerTo(line, { ...message, headers, idleMs, connectMs, signal });
    if (line.proxy !== undefined && incoming.statusCode === 407) {
      incoming.destroy();
      throw proxyWantsLogin(line.proxy);
    }
    return {
      status: incoming.statusCode ?? 0,
      headers: incoming.headers,
      chunks: responseChunks(incoming, { idleMs, signal, server: line.server }),
    };
  };

  return {
    get: async (request) => send(request, { method: 'GET', body: [] }),
    post: async (request) => send(request, { method: 'POST', body: request.body }),
    close: () => lines.close(),
  };
}

/** Connections that were idle for as long as one that is gone are likely gone too, so the second try gets a new one. */
async function answerTo(line: Line, message: Message): Promise<IncomingMessage> {
  const first = await exchange(line, message);
  if (first !== 'stale') return first;
  line.dropIdle();
  const second = await exchange(line, message);
  if (second === 'stale') throw new Error('a new connection was taken for an old one');
  return second;
}
