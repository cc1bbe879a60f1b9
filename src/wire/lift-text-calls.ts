/** Messages in which a model wrote calls, taken apart into what it said and what it called. */
import type { ReplyItem } from '../core/model.js';
import { madeUpId } from './made-up-id.js';
import { MOST_PARTS, tooManyParts } from './stream-ends.js';
import { findTextCalls } from './text-calls.js';

/** `response` names the response among all others, as far as its server does. */
export function liftTextCalls(
  items: readonly ReplyItem[],
  toolNames: readonly string[],
  response: string,
): readonly ReplyItem[] {
  return items.flatMap((item, at) =>
    item.kind === 'message' ? liftMessage(item, toolNames, `${response} ${at}`) : [item],
  );
}

/** What it was is not sent back, because it would tell of the calls a second time. */
function liftMessage(
  message: Extract<ReplyItem, { kind: 'message' }>,
  toolNames: readonly string[],
  place: string,
): readonly ReplyItem[] {
  const { text, calls } = findTextCalls(message.text, toolNames);
  if (calls.length === 0) return [message];
  if (calls.length > MOST_PARTS) throw tooManyParts();
  const { phase } = message;
  const rest: ReplyItem = { kind: 'message', text, ...(phase !== undefined && { phase }) };
  const lifted = calls.map(({ name, arguments: given }, at): ReplyItem => ({
    kind: 'call',
    call: { id: madeUpId([place, String(at), name, given]), name, payload: { kind: 'function', arguments: given } },
  }));
  return text === '' ? lifted : [rest, ...lifted];
}
