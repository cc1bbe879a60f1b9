/** A response that is none: the server's words, when to come back, and what the user can do about it. */
import { ModelError } from '../core/model.js';
import { nearest } from '../core/nearest.js';
import type { Provider } from '../core/provider.js';
import type { HttpClient, HttpResponse } from '../http/http-client.js';
import { readText } from '../http/read-text.js';
import type { Protocol } from '../wire/protocol.js';
import type { Endpoint } from './endpoint.js';
import { listModels } from './list-models.js';
import { retryAfterMs } from './retry-after.js';

export type Asked = {
  readonly protocol: Pick<Protocol<never>, 'refusal'>;
  readonly provider: Provider;
  readonly endpoint: Endpoint;
  readonly http: HttpClient;
  readonly model: string;
  readonly signal: AbortSignal;
};

const MOST_BYTES = 64 * 1024;
/** The answer has failed already; a hint is not worth a long wait. */
const LISTING_MS = 2000;
const MOST_NAMES = 10;

export async function refusal(response: HttpResponse, asked: Asked): Promise<ModelError> {
  const { status, headers, chunks } = response;
  const body = await readText(chunks, MOST_BYTES).catch(() => '');
  const said = asked.protocol.refusal(status, body);
  const wait = retryAfterMs(headers, Date.now()) ?? said.retryAfterMs;
  const hints = [await hintFor(response, said, asked), waitText(wait)].filter((hint) => hint !== undefined);
  const message = hints.length === 0 ? said.message : [asSentence(said.message), ...hints].join(' ');
  return new ModelError(said.kind, message, { status, ...(wait !== undefined && { retryAfterMs: wait }) });
}

/** As a sentence that another one may follow. */
function asSentence(message: string): string {
  return `${message.replace(/[.\s]{1,9}$/, '')}.`;
}

const MINUTE_MS = 60_000;

/** Shorter waits pass without anybody having to know. */
function waitText(ms = 0): string | undefined {
  if (ms <= MINUTE_MS) return undefined;
  const minutes = Math.ceil(ms / MINUTE_MS);
  const hours = Math.ceil(minutes / 60);
  return `It asks to be left alone for ${minutes < 120 ? `${minutes} minutes` : `${hours} hours`}.`;
}

async function hintFor({ status, headers }: HttpResponse, said: ModelError, asked: Asked): Promise<string | undefined> {
  if (status >= 300 && status < 400) return redirected(headers.location);
  if (status === 401) return whereTheKeyIs(asked.provider);
  const isAboutModel =
    /model/i.test(said.message) && /not found|exist|unknown|invalid|no such|not supported/i.test(said.message);
  return (status === 404 || status === 400) && isAboutModel ? otherModels(asked) : undefined;
}

/** Not followed: the key would go where the user never sent it. */
function redirected(location: string | undefined): string {
  const place = location !== undefined && URL.canParse(location) ? new URL(location) : undefined;
  const where = place === undefined ? 'elsewhere' : `to ${place.origin}${place.pathname}`;
  return `It sends requests on ${where}; if that is right, set base_url accordingly.`;
}

function whereTheKeyIs({ id, key }: Provider): string {
  return key === undefined
    ? `No key was sent: name the variable that holds it as env_key in [model_providers.${id}].`
    : `The key was taken from ${key.variable}.`;
}

async function otherModels({ http, endpoint, model, signal }: Asked): Promise<string | undefined> {
  const names = await listModels({ http, endpoint, timeoutMs: LISTING_MS, signal }).catch((): readonly string[] => []);
  if (names.length === 0 || names.includes(model)) return undefined;
  const meant = nearest(model, names);
  if (meant !== undefined) return `Did you mean ${meant}?`;
  const rest = names.length > MOST_NAMES ? `, and ${names.length - MOST_NAMES} more` : '';
  return `It has ${names.slice(0, MOST_NAMES).join(', ')}${rest}.`;
}
