/** Values that nobody should see on a screen or in an error, by their names. */

export const HIDDEN = '(hidden)';

/** Whether the value under this key may be a secret. What only names a variable is none. */
export function isSecret(path: readonly PropertyKey[]): boolean {
  if (path.includes('http_headers')) return true;
  const name = path.findLast((key) => typeof key === 'string') ?? '';
  return LOOKS_SECRET.test(name) && !NO_SECRET.test(name);
}

/** The same value without secrets: texts under such keys, and what stands before the @ of an address. */
export function withoutSecrets(value: unknown, path: readonly PropertyKey[] = []): unknown {
  if (typeof value === 'string') return isSecret(path) ? HIDDEN : value.replaceAll(CREDENTIALS, `$1${HIDDEN}@`);
  if (Array.isArray(value)) return value.map((each: unknown, index) => withoutSecrets(each, [...path, index]));
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutSecrets(each, [...path, key])]));
}

const LOOKS_SECRET = /key|token|secret|passw(?:or)?d|credential|authorization/i;
/** `env_key`, `tool_output_token_limit`, … */
const NO_SECRET = /^env_|_token_limit$|_cache_key$/;
const CREDENTIALS = /(\b[a-z][a-z\d+.-]*:\/\/)[^/?#@\s]+@/gi;
