/** Takes secrets out of text that others wrote: a server may repeat the key it was sent, whole, encoded or cut off. */
import { HIDDEN } from './secret-names.js';

/** Fewer characters are no secret, and would take holes into every text. */
const SHORTEST = 4;
/** Up to here it may be a part of words, so only where it stands alone. */
const SHORT = 8;
/** So much of the beginning of a long one says too much, too. */
const TELLING = 12;

export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const forms = [...new Set(secrets.filter((secret) => secret.length >= SHORTEST).flatMap(spellings))];
  const longestFirst = forms.toSorted((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce(hide, text);
}

function spellings(secret: string): readonly string[] {
  const base64 = Buffer.from(secret).toString('base64');
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    base64,
    base64.replace(/=+$/, ''),
    Buffer.from(secret).toString('base64url'),
  ];
}

function hide(text: string, secret: string): string {
  if (secret.length < SHORT) return text.replace(new RegExp(`(?<!\\w)${quoted(secret)}(?!\\w)`, 'g'), HIDDEN);
  return hideBeginnings(text.replaceAll(secret, HIDDEN), secret);
}

function quoted(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function hideBeginnings(text: string, secret: string): string {
  if (secret.length < 2 * TELLING) return text;
  const [before, ...parts] = text.split(secret.slice(0, TELLING));
  const rest = secret.slice(TELLING);
  return [before ?? '', ...parts.map((part) => part.slice(sharedLength(part, rest)))].join(HIDDEN);
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
