/** What a person reads of a whole run and its requests: how it is set up, what went wrong, and what it cost. */
import { visible } from '../visible.js';
import { inCount, inTime } from './describe-item.js';
import type { ExecEvent } from './exec-event.js';
import type { Paint } from './paint.js';

declare const TENON_VERSION: string;

type LineOf<Type extends ExecEvent['type']> = Extract<ExecEvent, { type: Type }>;

export function describeTurn(
  event: LineOf<'thread.started' | 'turn.started' | 'turn.completed' | 'turn.failed' | 'error'>,
  paint: Paint,
): readonly string[] {
  switch (event.type) {
    case 'thread.started':
      return header(event, paint);
    case 'turn.started':
      return [];
    case 'turn.completed':
      return [costs(event, paint)];
    case 'turn.failed':
      return [`${paint.bad(endWord(event.error.kind))}: ${oneLine(event.error.message)}`, costs(event, paint)];
    case 'error':
      return retrying(event, paint);
  }
}

function header(thread: LineOf<'thread.started'>, paint: Paint): readonly string[] {
  const facts = {
    workdir: thread.cwd,
    model: thread.model,
    provider: thread.provider,
    approval: thread.approval_policy,
    sandbox: thread.sandbox_mode,
    'session id': thread.thread_id,
  };
  return [
    `tenon ${TENON_VERSION}`,
    RULE,
    ...Object.entries(facts).map(([name, value]) => `${paint.title(`${name}:`)} ${oneLine(value)}`),
    RULE,
  ];
}

const RULE = '--------';

/** What is not tried again is told at the end of the turn. */
function retrying({ message, retry, delay_ms: delay = 0 }: LineOf<'error'>, paint: Paint): readonly string[] {
  if (retry === undefined) return [];
  return [`${paint.bad('trying again')} in ${inTime(delay)}: ${oneLine(message)}`];
}

/** Who ended it: whoever runs it, a limit of theirs, or what went wrong. */
function endWord(kind: string): string {
  if (kind === 'interrupted') return 'interrupted';
  return kind === 'limit' || kind === 'repetition' ? 'stopped' : 'failed';
}

function costs({ turn_usage: usage, cost_usd: cost }: LineOf<'turn.completed' | 'turn.failed'>, paint: Paint): string {
  const sum = usage.input_tokens + usage.output_tokens;
  const cached = usage.cached_input_tokens === 0 ? '' : `, ${inCount(usage.cached_input_tokens)} of them cached`;
  const price = cost === undefined ? '' : `, about $${cost.toFixed(4)}`;
  return (
    `${paint.title('tokens used:')} ${inCount(sum)} ` +
    `(${inCount(usage.input_tokens)} in${cached}, ${inCount(usage.output_tokens)} out)${price}`
  );
}

function oneLine(text: string): string {
  return visible(text.replaceAll('\n', ' '));
}
