/** Values of settings that nobody should see on a screen or in an error, by their names. */
import { HIDDEN, looksSecret, mayBeSecret } from '../core/secret-names.js';
import { isBaseUrl } from '../model/base-url.js';
import { isSameValue } from './raw-table.js';

/** Whether the value under this key may be a secret. What only names a variable is none, nor is a number of tokens. */
export function isSecret(path: readonly PropertyKey[]): boolean {
  const table = path.findIndex((key) => key === 'http_headers' || key === 'query_params');
  if (table !== -1) return mayBeSecret(String(path[table + 1] ?? ''));
  const name = path.findLast((key) => typeof key === 'string') ?? '';
  return looksSecret(name) && !NO_SECRET.test(name);
}

/** The same value without secrets: texts under such keys, and what addresses hold of them. */
export function withoutSecrets(value: unknown, path: readonly PropertyKey[] = []): unknown {
  if (typeof value === 'string') return isSecret(path) ? HIDDEN : textWithoutSecrets(value, path);
  if (Array.isArray(value)) return value.map((each: unknown, index) => withoutSecrets(each, [...path, index]));
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutSecrets(each, [...path, key])]));
}

/** Whether a value is a secret, or has one in it. */
export function holdsSecret(value: unknown, path: readonly PropertyKey[]): boolean {
  return !isSameValue(withoutSecrets(value, path), value);
}

/** `env_key`, `tool_output_token_limit`, `limits.tokens`, … */
const NO_SECRET = /^env_|_token_limit$|_cache_key$|^tokens$|_tokens$|_per_session$/;
const ADDRESSES: ReadonlySet<unknown> = new Set(['base_url', 'openai_base_url']);
const LOGIN = /(\b[a-z][a-z\d+.-]*:\/\/)[^/?#@\s]+@/gi;

function textWithoutSecrets(text: string, path: readonly PropertyKey[]): string {
  return ADDRESSES.has(path.at(-1)) ? withoutParameters(withoutLogin(text)) : text.replaceAll(LOGIN, `$1${HIDDEN}@`);
}

/** Where an address is none, its login may be anything before the last @. */
function withoutLogin(text: string): string {
  if (isBaseUrl(text)) return text.replaceAll(LOGIN, `$1${HIDDEN}@`);
  return text.replace(/^([^/]*:\/\/)?.*@/s, `$1${HIDDEN}@`);
}

function withoutParameters(text: string): string {
  const start = text.indexOf('?');
  return start === -1
    ? text
    : `${text.slice(0, start)}?${text
        .slice(start + 1)
        .split('&')
        .map(shownParameter)
        .join('&')}`;
}

/** One without a name may be anything. */
function shownParameter(text: string): string {
  if (text === '') return text;
  const [, name] = /^([\w.-]+)=/.exec(text) ?? [];
  if (name === undefined) return HIDDEN;
  return mayBeSecret(name) ? `${name}=${HIDDEN}` : text;
}
