/**
 * A model server that plays a script: real HTTP on this machine, no model. It speaks the Responses and the Chat
 * Completions API, whole or as a stream, and fails the way servers fail. It has no clock: what waits, waits for a
 * promise of the test or for the client to leave.
 *
 *   const model = await startScriptedModel([
 *     { calls: [{ name: 'list_files', arguments: { path: '.' } }] },
 *     { text: 'Two files.', fault: { kind: 'status', status: 503 } },
 *   ]);
 *   // … point a client to model.baseUrl; the second turn is played after one 503 …
 *   await model.close();
 */
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

import { isJsonObject, parseJson } from '../core/json-object.js';
import type { Wire } from '../core/model.js';
import { createArrivals } from './scripted-model-arrivals.js';
import type { Arrivals } from './scripted-model-arrivals.js';
import { replyTo } from './scripted-model-reply.js';
import { createPlaylist, refused } from './scripted-model-script.js';
import type { Playlist } from './scripted-model-script.js';
import { send } from './scripted-model-send.js';
import type { ModelScript, ScriptedRequest } from './scripted-model-turn.js';

export type ScriptedModelOptions = {
  /** What the server says it has. Default: `scripted-model`. */
  readonly models?: readonly string[];
};

export interface ScriptedModel {
  /** Ends with `/v1`; any other path before the API's own works as well. */
  readonly baseUrl: string;
  readonly port: number;
  /** The requests to the model so far, in the order in which they had arrived whole. */
  readonly requests: readonly ScriptedRequest[];
  /** `requests[index]`, once it has arrived. Rejects when the server is closed before that. */
  request(index: number): Promise<ScriptedRequest>;
  /** Nothing is being answered: all answers have ended, or their clients have left. */
  idle(): Promise<void>;
  /** Ends all connections, whatever they wait for. */
  close(): Promise<void>;
}

export async function startScriptedModel(
  script: ModelScript,
  { models = ['scripted-model'] }: ScriptedModelOptions = {},
): Promise<ScriptedModel> {
  const arrivals = createArrivals();
  const answer = createAnswer(createPlaylist(script), arrivals, models);
  const answering = new Set<Promise<void>>();
  const server = createServer((request, response) => {
    const done = answer(request, response).finally(() => answering.delete(done));
    answering.add(done);
  });
  // An idle connection is the client's to end; a clock here would make tests depend on their speed.
  Object.assign(server, { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    port,
    requests: arrivals.list,
    request: (index) => arrivals.at(index),
    async idle() {
      while (answering.size > 0) await Promise.all(answering);
    },
    async close() {
      arrivals.end();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

function createAnswer(next: Playlist, arrivals: Arrivals, models: readonly string[]): Answer {
  const connections = new Map<Socket, number>();
  const connectionOf = (socket: Socket): number => {
    const known = connections.get(socket) ?? connections.size + 1;
    connections.set(socket, known);
    return known;
  };
  return async (request, response) => {
    const { method, url: path = '/', headers, socket } = request;
    const wire = wireOf(method, path);
    if (wire === undefined) return answerOther(path, models, response);
    const bodyText = await textOf(request);
    if (bodyText === undefined) return;
    const value = parseJson(bodyText);
    const body = isJsonObject(value) ? value : undefined;
    const asked = { wire, path, headers, bodyText, body: body ?? {}, connection: connectionOf(socket) };
    const index = arrivals.add(asked);
    const play = body ? await next(asked, index) : refused('the body of the request is no JSON object');
    await send(replyTo(asked, play, index + 1), response, play.turn);
  };
}

function wireOf(method: string | undefined, path: string): Wire | undefined {
  if (method !== 'POST') return undefined;
  const name = path.replace(/[?#].*$/, '');
  if (name.endsWith('/responses')) return 'responses';
  return name.endsWith('/chat/completions') ? 'chat' : undefined;
}

function answerOther(path: string, models: readonly string[], response: ServerResponse): void {
  const listed = /\/models(?:\?|$)/.test(path);
  const body = listed
    ? { object: 'list', data: models.map((id) => ({ id, object: 'model', created: 0, owned_by: 'script' })) }
    : {
        error: {
          message: `a scripted model has nothing at ${path}`,
          type: 'not_found',
          param: null,
          code: 'not_found',
        },
      };
  response.writeHead(listed ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Undefined when the client left before it had said everything. */
async function textOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString('utf8');
}
