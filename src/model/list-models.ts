/** The models that a server says it has. */
import { isJsonObject, parseJson } from '../core/json-object.js';
import type { HttpClient } from '../http/http-client.js';
import { HttpError } from '../http/http-error.js';
import { readText } from '../http/read-text.js';
import type { Endpoint } from './endpoint.js';

export type ModelListing = {
  readonly http: HttpClient;
  readonly endpoint: Endpoint;
  /** For all of it. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
};

/** A router of many providers lists hundreds, each with a page of text. */
const MOST_BYTES = 16 * 1024 * 1024;

/** In the server's order. Throws an `HttpError`, or the reason of the signal or of the deadline. */
export async function listModels({ http, endpoint, timeoutMs, signal }: ModelListing): Promise<readonly string[]> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const { status, chunks } = await http.get({
    url: endpoint.url('/models'),
    headers: { accept: 'application/json', ...endpoint.headers },
    idleMs: timeoutMs,
    signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
  });
  const names = modelNames(await readText(chunks, MOST_BYTES));
  if (status === 200 && names !== undefined) return names;
  const reason = status === 200 ? 'it answers with something else' : `it answers with status ${status}`;
  throw new HttpError('garbled', `${endpoint.address} has no list of models: ${reason}`, { reason });
}

/** More, or longer ones, are no names that anybody could mean. */
const MOST_NAMES = 10_000;
const LONGEST_NAME = 200;

/** `data` is OpenAI's word, `models` that of others. Undefined when it is no such list. */
export function modelNames(body: string): readonly string[] | undefined {
  const answer = parseJson(body);
  const list = isJsonObject(answer) ? (answer['data'] ?? answer['models']) : answer;
  // Ollama's way to say that there are none.
  if (isJsonObject(answer) && answer['data'] === null) return [];
  if (!Array.isArray(list)) return undefined;
  return list.slice(0, MOST_NAMES).flatMap((each: unknown) => {
    const name = isJsonObject(each) ? (each['id'] ?? each['name'] ?? each['model'] ?? each['slug']) : each;
    return typeof name === 'string' && name.length <= LONGEST_NAME ? [name] : [];
  });
}
