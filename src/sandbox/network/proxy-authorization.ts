/** The token of a run, as HTTP clients send it: the password of the proxy. */
import type { IncomingMessage } from 'node:http';

/** Some clients send no password before they are asked for one. */
export const CHALLENGE = { name: 'Proxy-Authenticate', value: 'Basic realm="tenon"' } as const;
export const CHALLENGE_TEXT =
  'tenon: the sandbox does not know whose connection this is. Use the proxy as HTTPS_PROXY names it';

export function tokenOf({ headers }: IncomingMessage): string | undefined {
  const login = /^Basic +([\w+/-]+=*) *$/i.exec(headers['proxy-authorization'] ?? '')?.[1];
  if (login === undefined) return undefined;
  return /^[^:]*:(.*)$/s.exec(Buffer.from(login, 'base64').toString('utf8'))?.[1];
}
