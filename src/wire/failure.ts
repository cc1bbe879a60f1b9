/** Of what kind a failure is that a server reports: whether to wait, to shorten the history, or to give up. */
import { ModelError } from '../core/model.js';
import type { FailureKind } from '../core/model.js';
import { askedDelay } from './asked-delay.js';
import type { ServerWords } from './server-words.js';

/** For a request that was answered with a status that is none of success. */
export function refusalOf(words: ServerWords, status: number): ModelError {
  const kind = kindOf(words, status);
  const what = kind === 'server' ? 'the server cannot answer' : 'the server refused the request';
  return new ModelError(kind, sentence(`${what} (${status})`, words.message, advice(kind, status)), {
    status,
    ...delayOf(kind, words),
  });
}

/** For a stream in which the server says that something is wrong. */
export function streamFailure(words: ServerWords): ModelError {
  const { status } = words;
  const kind = kindOf(words, status);
  return new ModelError(kind, sentence('the server reported an error', words.message, advice(kind, status)), {
    ...(status !== undefined && { status }),
    ...delayOf(kind, words),
    streaming: true,
  });
}

function delayOf(kind: FailureKind, { message }: ServerWords): { readonly retryAfterMs?: number } {
  const retryAfterMs = kind === 'rate-limit' || kind === 'server' ? askedDelay(message) : undefined;
  return retryAfterMs === undefined ? {} : { retryAfterMs };
}

function kindOf({ message, names }: ServerWords, status: number | undefined): FailureKind {
  const isNamed = (pattern: RegExp): boolean => names.some((name) => pattern.test(name));
  if (isNamed(OVERFLOW_NAMES) || (mayOverflow(status) && OVERFLOW_WORDS.test(message))) return 'overflow';
  if (TOO_LARGE.test(message) && (status === 429 || status === 413)) return 'overflow';
  if (isNamed(QUOTA_NAMES) || status === 402) return 'quota';
  if (status === 429 && QUOTA_WORDS.test(message)) return 'quota';
  if (status === 429 || (status === undefined && isNamed(RATE_NAMES))) return 'rate-limit';
  if (status === undefined) return isNamed(REFUSED_NAMES) ? 'refused' : 'server';
  return status >= 500 || status === 408 || status === 409 || status === 425 ? 'server' : 'refused';
}

/** Elsewhere the same words are about something else: too many tokens a minute, say. */
function mayOverflow(status: number | undefined): boolean {
  return status === undefined || status >= 500 || status === 400 || status === 413 || status === 422;
}

const OVERFLOW_NAMES = /context_(length|window)_exceeded|exceed_context_size/i;
const OVERFLOW_WORDS = new RegExp(
  [
    'context[_ ](length|window|size|limit)',
    'maximum (context|prompt|input) length',
    'prompt (is|contains) .{0,40}too (long|large)',
    'input (is too long|length|token count)',
    'too many (input )?tokens',
    'reduce the length of the (messages|prompt|input)',
    'max_new_tokens. must be',
  ].join('|'),
  'i',
);
/** One request alone is over a limit per minute: waiting does not help, a shorter history does. */
const TOO_LARGE = /request too large for/i;
const QUOTA_NAMES = /quota|usage_limit_reached|usage_not_included|billing|insufficient_(credit|balance|fund)|payment/i;
const QUOTA_WORDS = /current quota|billing|insufficient (credit|balance|fund)|out of credits/i;
const RATE_NAMES = /rate_?limit|too_many_requests|resource_exhausted/i;
const REFUSED_NAMES = /^invalid|_policy|policy_|authentication|permission|unauthorized|not_found|unsupported/i;

function advice(kind: FailureKind, status: number | undefined): string {
  if (kind === 'quota') return 'Check your plan and its billing with the provider.';
  if (kind === 'overflow') return 'The conversation does not fit into the model: compact it, or start a new one.';
  if (kind !== 'refused') return '';
  if (status === 401) return 'Check the key of the provider.';
  if (status === 403) return 'The key may not be allowed to use this model.';
  if (status === 404) return 'Check base_url, wire_api and the name of the model.';
  return status === 413 ? 'Send less: fewer images, or shorter input.' : '';
}

function sentence(what: string, words: string, then: string): string {
  const said = words === '' ? what : `${what}: ${words}`;
  return then === '' ? said : `${said.replace(/[.\s]{1,9}$/, '')}. ${then}`;
}
