/** The address of a server as people write it: with or without a slash, a query, a login, the whole path of an API. */
import { ConfigError } from '../core/errors.js';
import { basicCredentials } from '../http/basic-credentials.js';

export type BaseUrl = {
  /** Without a slash at its end, a query or a login. */
  readonly baseUrl: string;
  readonly query: Readonly<Record<string, string>>;
  /** The login, as the header that carries it. */
  readonly headers: Readonly<Record<string, string>>;
};

/** How it has to be written, for who has not. */
export const HOW_TO_WRITE = 'write it as http://host:port/v1 or https://host/v1';

export function isBaseUrl(text: string): boolean {
  const trimmed = text.trim();
  return /^https?:\/\//i.test(trimmed) && URL.canParse(trimmed);
}

/** `where` says where it was written. It is not repeated, for it may hold a password. */
export function readBaseUrl(text: string, where: string): BaseUrl {
  if (!isBaseUrl(text)) throw new ConfigError(`${where} is not an address: ${HOW_TO_WRITE}`);
  const url = new URL(text.trim());
  const login = basicCredentials(url);
  const path = url.pathname.replace(/\/+$/, '').replace(/\/(chat\/completions|responses)$/, '');
  return {
    baseUrl: `${url.origin}${path}`,
    query: Object.fromEntries(url.searchParams),
    headers: login === undefined ? {} : { authorization: login },
  };
}
