/** A model behind its server: one wire, one endpoint, one client. */
import type { Model, ModelEvent, ModelRequest } from '../core/model.js';
import { createHttpClient } from '../http/http-client.js';
import type { HttpClient, HttpResponse } from '../http/http-client.js';
import { proxyFor } from '../http/proxy-choice.js';
import { chatProtocol } from '../wire/chat-protocol.js';
import type { Protocol } from '../wire/protocol.js';
import { responsesProtocol } from '../wire/responses-protocol.js';
import { createEndpoint } from './endpoint.js';
import type { Endpoint, EndpointOptions } from './endpoint.js';
import { explain } from './explain.js';
import { readReply } from './read-reply.js';
import { refusal } from './refusal.js';

export type ModelOptions = EndpointOptions & {
  readonly model: string;
  /** Tokens that fit, if that is known. */
  readonly contextWindow?: number;
  /** Default: one of its own, which it closes. */
  readonly http?: HttpClient;
};

/** Throws a `ConfigError` when the key is missing or the proxy cannot be used. Nothing is sent before the first request. */
export function createModel(options: ModelOptions): Model {
  const endpoint = createEndpoint(options);
  proxyFor(new URL(endpoint.address), options.env);
  return options.provider.wire === 'chat'
    ? speaking(chatProtocol, options, endpoint)
    : speaking(responsesProtocol, options, endpoint);
}

function speaking<State>(protocol: Protocol<State>, options: ModelOptions, endpoint: Endpoint): Model {
  const { provider, model, contextWindow, env } = options;
  const { dialect } = provider;
  const http = options.http ?? createHttpClient({ env });
  const url = endpoint.url(protocol.path);
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream', ...endpoint.headers };
  const headOf = rememberHeads((request) => protocol.head(request, dialect));
  const tail = Buffer.from(protocol.tail);

  const post = (request: ModelRequest, history: Uint8Array, signal: AbortSignal): Promise<HttpResponse> =>
    http.post({ url, headers, body: [headOf(request), history, tail], idleMs: provider.idleMs, signal });

  return {
    name: model,
    provider: provider.id,
    wire: protocol.wire,
    limits: {
      ...(contextWindow !== undefined && { contextWindow }),
      requestRetries: provider.requestRetries,
      streamRetries: provider.streamRetries,
    },
    takesSchemas: dialect.strictSchemas,
    encode: (entry) => protocol.encode(entry, dialect),
    async *open(request, history, signal): AsyncGenerator<ModelEvent, void, void> {
      let events = 0;
      try {
        const response = await post(request, history, signal);
        if (response.status < 200 || response.status > 299) {
          throw await refusal(response, { protocol, provider, endpoint, http, model: request.model, signal });
        }
        const toolNames = request.tools.map(({ name }) => name);
        const onEvent = (): void => void (events += 1);
        yield* readReply(response, { protocol, dialect, toolNames, idleMs: provider.idleMs, onEvent });
      } catch (error) {
        signal.throwIfAborted();
        throw explain(error, endpoint, events > 0);
      }
    },
    close: () => {
      if (options.http === undefined) http.close();
    },
  };
}

/** The same request object means the same bytes: tools and instructions are spelled once for a conversation. */
function rememberHeads(spell: (request: ModelRequest) => string): (request: ModelRequest) => Uint8Array {
  const heads = new WeakMap<ModelRequest, Uint8Array>();
  return (request) => {
    const head = heads.get(request) ?? Buffer.from(spell(request));
    heads.set(request, head);
    return head;
  };
}
