/** Why a connection was not made, as data for whoever watches and as a line for the tool that wanted it. */
import { authorityOf } from './destination.js';

export type Refusal = { readonly host: string; readonly port: number; readonly reason: RefusalReason };

export type RefusalReason = keyof typeof REASONS;

const REASONS = {
  'not-listed': 'is not an allowed host',
  'private-address': 'leads to a private address',
  'wrong-server-name': 'was named in a connection to another host',
  'no-server-name': 'was not named in its connection',
  'hidden-server-name': 'was only a cover for an encrypted server name',
  'not-tls': 'was not spoken to in TLS',
  malformed: 'was asked for in a way that is not understood',
} as const;

export function refusalText(refusal: Refusal): string {
  const where = refusal.port === 0 ? refusal.host : authorityOf(refusal);
  return `tenon: blocked by the sandbox: ${where} ${REASONS[refusal.reason]}`;
}

/** What cannot be read is shown as far as it can be, without what may be a password. */
export function malformed(text: string, port = 0): Refusal {
  return { host: shown(text.slice(text.lastIndexOf('@') + 1)), port, reason: 'malformed' };
}

/** The longest name there can be. */
const SHOWN_LENGTH = 255;

export function shown(text: string): string {
  return text.slice(0, SHOWN_LENGTH).replace(/[^\x21-\x7e]/g, '?');
}
