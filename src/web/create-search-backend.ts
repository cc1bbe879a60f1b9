/** A search service as the user has set it up. What is wrong with the settings is said at once, before any search. */
import { ConfigError, ToolFailure } from '../core/errors.js';
import { hostName } from '../core/host-name.js';
import { nearest } from '../core/nearest.js';
import type { SearchBackendSettings, WebSearch } from '../core/web-search.js';
import { askService } from './ask-service.js';
import type { HttpDoor } from './ask-service.js';
import { brave } from './brave.js';
import { searxng } from './searxng.js';
import { MOST_RESULTS } from './service.js';
import type { SearchService } from './service.js';
import { tavily } from './tavily.js';

const SERVICES: Readonly<Record<string, SearchService>> = { searxng, brave, tavily };

const DEFAULT_RESULTS = 5;
const TIMEOUT_MS = 20_000;

export type BackendParts = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly http: HttpDoor;
  /** How long a whole answer may take. Default 20 seconds. */
  readonly timeoutMs?: number;
};

export function createSearchBackend(settings: SearchBackendSettings, parts: BackendParts): WebSearch {
  const { http, timeoutMs = TIMEOUT_MS } = parts;
  const service = serviceOf(settings);
  const base = baseUrlOf(settings, service);
  const key = keyOf(settings, service, parts);
  const usual = resultsOf(settings);
  return {
    host: hostName(base.hostname),
    async search(query, { maxResults = usual, signal }) {
      if (query.length > service.longestQuery) throw tooLong(query, service);
      const count = Math.max(1, Math.min(Math.trunc(maxResults), MOST_RESULTS));
      const results = await askService({ service, base, key, query, count }, { http, timeoutMs, signal });
      return results.slice(0, count);
    },
  };
}

function serviceOf({ kind }: SearchBackendSettings): SearchService {
  const service = Object.hasOwn(SERVICES, kind) ? SERVICES[kind] : undefined;
  if (service) return service;
  const known = Object.keys(SERVICES);
  const guess = nearest(kind, known);
  const advice = guess === undefined ? `It is one of ${known.join(', ')}.` : `Did you mean "${guess}"?`;
  throw new ConfigError(`${TABLE}.kind: there is no search service "${kind}". ${advice}`);
}

const TABLE = 'web_search_backend';

function baseUrlOf({ kind, baseUrl }: SearchBackendSettings, service: SearchService): URL {
  const given = baseUrl ?? service.baseUrl;
  if (given === undefined) {
    throw new ConfigError(
      `${TABLE}.base_url is missing: ${service.name} has no address of its own, say where yours is`,
    );
  }
  const problem = URL.canParse(given) ? problemWith(new URL(given)) : 'it is no URL';
  if (problem !== undefined) throw new ConfigError(`${TABLE}.base_url of "${kind}" cannot be used: ${problem}`);
  const url = new URL(given);
  // Only then is what follows put below it and not in place of its last part.
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

/** A password in it would be seen wherever the address is. */
function problemWith({ protocol, username, password, search, hash }: URL): string | undefined {
  if (protocol !== 'http:' && protocol !== 'https:') return 'it has to begin with http:// or https://';
  if (username !== '' || password !== '') return 'it must not hold a name or password; put a key into env_key';
  return search !== '' || hash !== '' ? 'it must end before any ? or #' : undefined;
}

function keyOf({ envKey }: SearchBackendSettings, service: SearchService, { env }: BackendParts): string | undefined {
  const variable = envKey ?? service.keyVariable;
  if (variable === undefined) return undefined;
  const key = env[variable]?.trim() ?? '';
  if (key === '') {
    throw new ConfigError(
      `the key for ${service.name} is missing: set the environment variable ${variable}, or name another one in ${TABLE}.env_key`,
    );
  }
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new ConfigError(`the environment variable ${variable} holds characters that no key has; set it again`);
  }
  return key;
}

function resultsOf({ maxResults = DEFAULT_RESULTS }: SearchBackendSettings): number {
  if (Number.isInteger(maxResults) && maxResults >= 1 && maxResults <= MOST_RESULTS) return maxResults;
  throw new ConfigError(`${TABLE}.max_results has to be a whole number from 1 to ${MOST_RESULTS}, not ${maxResults}`);
}

function tooLong(query: string, { name, longestQuery }: SearchService): ToolFailure {
  return new ToolFailure(
    `the query has ${query.length} characters, and ${name} takes at most ${longestQuery}. Ask for less at once.`,
  );
}
