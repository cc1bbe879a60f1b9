/** A provider as requests see it: where they go, what they say of themselves, and what must never be repeated. */
import { ConfigError } from '../core/errors.js';
import type { Provider } from '../core/provider.js';
import { createRedactor } from '../core/redact.js';
import { looksSecret, mayBeSecret } from '../core/secret-names.js';

type Environment = Readonly<Record<string, string | undefined>>;

export type Endpoint = {
  /** For messages. */
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  /** With a path after the base URL, and the provider's query. */
  readonly url: (path: string) => string;
  /** Takes keys and the like out of a text. */
  readonly redact: (text: string) => string;
};

export type EndpointOptions = {
  readonly provider: Provider;
  readonly env: Environment;
  /** Of this program, which is all that a server learns about it. */
  readonly version: string;
};

/** Throws a `ConfigError` when the key is missing. */
export function createEndpoint({ provider, env, version }: EndpointOptions): Endpoint {
  const fromEnvironment = environmentHeaders(provider, env);
  const key = keyOf(provider, env);
  return {
    address: new URL(provider.baseUrl).origin,
    headers: {
      'user-agent': `tenon/${version}`,
      ...keyHeader(provider, key),
      ...lowerCase(provider.headers),
      ...fromEnvironment,
    },
    url: (path) => withQuery(`${provider.baseUrl}${path}`, provider.query),
    redact: createRedactor([
      ...(key === undefined ? [] : [key]),
      ...Object.values(fromEnvironment).flatMap(partsOf),
      ...secretsAmong(provider.headers).flatMap(partsOf),
      ...secretsAmong(provider.query),
    ]),
  };
}

function keyOf({ name, key }: Provider, env: Environment): string | undefined {
  if (key === undefined) return undefined;
  const value = env[key.variable]?.trim() ?? '';
  if (value === '') {
    const help = key.help === undefined ? '' : ` ${key.help}`;
    throw new ConfigError(
      `${name} needs a key, but ${key.variable} is not set.${help} Put it into the environment: export ${key.variable}=…`,
    );
  }
  return checked(value, key.variable);
}

/** A line break, say, that was copied along. */
function checked(value: string, variable: string): string {
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return value;
  throw new ConfigError(`${variable} has characters that no header may have: set it again, without them`);
}

function keyHeader({ key }: Provider, value: string | undefined): Record<string, string> {
  if (value === undefined) return {};
  return key?.header === undefined ? { authorization: `Bearer ${value}` } : { [key.header.toLowerCase()]: value };
}

function environmentHeaders({ headersFromEnvironment }: Provider, env: Environment): Record<string, string> {
  const values = Object.entries(headersFromEnvironment).flatMap(([name, variable]) => {
    const value = env[variable]?.trim() ?? '';
    return value === '' ? [] : [[name.toLowerCase(), checked(value, variable)]];
  });
  return Object.fromEntries(values) as Record<string, string>;
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function withQuery(text: string, query: Readonly<Record<string, string>>): string {
  const url = new URL(text);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

/** Any value of some length, whatever it is called, and shorter ones whose names say what they are. */
function secretsAmong(values: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    looksSecret(name) || (mayBeSecret(name) && value.length >= TELLING_LENGTH) ? [value] : [],
  );
}

/** Shorter values are words that a message may need. */
const TELLING_LENGTH = 6;

/** What stands behind `Bearer` or `Basic` is the secret, and in the latter another one. */
function partsOf(value: string): readonly string[] {
  const [, scheme = '', rest] = /^(\w+) +(\S+)$/.exec(value) ?? [];
  if (rest === undefined) return [value];
  if (scheme.toLowerCase() !== 'basic') return [rest];
  const login = Buffer.from(rest, 'base64').toString();
  return [rest, login, login.slice(login.indexOf(':') + 1)];
}
