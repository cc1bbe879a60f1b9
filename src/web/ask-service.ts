/**
 * One question to a search service, and its answer read within bounds of size and time. Redirections are not followed: a
 * key goes nowhere but where the user sent it. Nothing that the service says becomes part of a message, nor does the key.
 */
import { ToolFailure, messageOf } from '../core/errors.js';
import { createRedactor } from '../core/redact.js';
import { parseJson } from '../core/json-object.js';
import type { SearchResult } from '../core/web-search.js';
import type { HttpClient, HttpPost, HttpRequest, HttpResponse } from '../http/http-client.js';
import type { Question, SearchService, ServiceRequest } from './service.js';

export type HttpDoor = Pick<HttpClient, 'get' | 'post'>;

export type Asked = Question & { readonly service: SearchService; readonly base: URL };

/** Who sends it, and how long all of it may take. */
export type Means = { readonly http: HttpDoor; readonly timeoutMs: number; readonly signal: AbortSignal };

const MOST_BYTES = 2_000_000;

export async function askService(asked: Asked, means: Means): Promise<readonly SearchResult[]> {
  const { service, key } = asked;
  const deadline = startDeadline(means);
  try {
    return await answerTo(asked, { ...means, signal: deadline.signal });
  } catch (error) {
    means.signal.throwIfAborted();
    if (error instanceof ToolFailure) throw error;
    if (deadline.signal.aborted)
      throw failed(`${service.name} gave no answer within ${means.timeoutMs / 1000} seconds`);
    throw failed(withoutKey(messageOf(error), key), error);
  } finally {
    deadline.end();
  }
}

/** A signal that fires with the other one, or when it is too late. */
function startDeadline({ signal, timeoutMs }: Means): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const stop = (): void => controller.abort(signal.reason);
  const timer = setTimeout(stop, timeoutMs);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    },
  };
}

async function answerTo(asked: Asked, means: Means): Promise<readonly SearchResult[]> {
  const { service, base } = asked;
  const response = await send(asked, means);
  if (response.status !== 200) throw await refused(response, asked);
  const results = service.readResults(parseJson(await textOf(response, service)));
  if (results === undefined) throw notSuchAnAnswer(service, base);
  return results;
}

async function send(asked: Asked, { http, timeoutMs, signal }: Means): Promise<HttpResponse> {
  const { path, parameters = {}, headers, body } = asked.service.request(asked);
  const url = new URL(path, asked.base);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  // The deadline comes before any silence is too long.
  const idleMs = 2 * timeoutMs;
  const request = { url: url.href, headers: { accept: 'application/json', ...headers }, idleMs, signal };
  return body === undefined ? http.get(request) : http.post(withBody(request, body));
}

function withBody(request: HttpRequest, body: NonNullable<ServiceRequest['body']>): HttpPost {
  const headers = { ...request.headers, 'content-type': 'application/json' };
  return { ...request, headers, body: [Buffer.from(JSON.stringify(body))] };
}

async function textOf({ chunks }: HttpResponse, { name }: SearchService): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw failed(`${name} sent more than ${MOST_BYTES} bytes`);
    parts.push(chunk);
  }
  return Buffer.concat(parts).toString('utf8');
}

function notSuchAnAnswer({ name }: SearchService, { origin, pathname }: URL): ToolFailure {
  return failed(`what answers at ${origin}${pathname} is not ${name}; the user has to check base_url`);
}

async function refused(response: HttpResponse, { service, key }: Asked): Promise<ToolFailure> {
  const { status } = response;
  // Left unread, it would hold the connection.
  await textOf(response, service).catch(() => '');
  const why = service.advice(status) ?? reasonFor(status, key !== undefined);
  return failed(`${service.name} answered with HTTP ${status}${why === undefined ? '' : `: ${why}`}`);
}

function reasonFor(status: number, hasKey: boolean): string | undefined {
  if (status === 401 || status === 403) return hasKey ? 'it does not take the key' : 'it wants a key (env_key)';
  if (status === 404) return 'there is no search at this address; the user has to check base_url';
  if (status === 429) return 'that is too many searches at once; wait before the next one';
  if (status >= 500) return 'it is out of order';
  return status >= 300 && status < 400 ? 'it is somewhere else; the user has to change base_url' : undefined;
}

function withoutKey(text: string, key: string | undefined): string {
  return key === undefined ? text : createRedactor([key])(text);
}

/** What a model can do is the same in all cases. */
function failed(what: string, cause?: unknown): ToolFailure {
  const sentence = /[.?!]$/.test(what) ? what : `${what}.`;
  return new ToolFailure(`web search failed: ${sentence} Go on without it, or tell the user.`, { cause });
}
