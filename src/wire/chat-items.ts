/**
 * What has been put together of a message of the Chat Completions API, as items: what was thought, what was said, what was
 * called. Each keeps its part of the message, so that the whole of it can be sent back.
 */
import { callId } from '../core/ids.js';
import type { JsonObject } from '../core/json-object.js';
import type { ReplyItem } from '../core/model.js';
import type { PartialCall } from './chat-calls.js';
import { isThoughtField } from './chat-delta.js';
import { madeUpId } from './made-up-id.js';
import { mergeFields } from './merge-fields.js';

export type Spoken = {
  readonly said: string;
  readonly thought: string;
  /** The fields of its pieces, the last one first. */
  readonly fields: FieldChain | undefined;
};

/** Grows without being copied. */
type FieldChain = { readonly fields: JsonObject; readonly before: FieldChain | undefined };

export function spokenItems({ said, thought, fields }: Spoken): readonly ReplyItem[] {
  const entries = Object.entries(mergeFields(inOrder(fields)));
  const isThought = ([key, value]: readonly [string, unknown]): boolean => isThoughtField(key) && !isEmpty(value);
  const thoughts = entries.filter(isThought);
  const others = entries.filter((entry) => !isThought(entry));
  const items: ReplyItem[] = [];
  if (thoughts.length > 0) items.push({ kind: 'reasoning', text: thought, raw: Object.fromEntries(thoughts) });
  if (said !== '') items.push({ kind: 'message', text: said, raw: Object.fromEntries(others) });
  else if (others.some(([key]) => key !== 'content')) items.push({ kind: 'other', raw: Object.fromEntries(others) });
  return items;
}

function isEmpty(value: unknown): boolean {
  return value === '' || (Array.isArray(value) && value.length === 0);
}

function inOrder(chain: FieldChain | undefined): readonly JsonObject[] {
  const pieces: JsonObject[] = [];
  for (let at = chain; at !== undefined; at = at.before) pieces.push(at.fields);
  return pieces.toReversed();
}

/** `place` names the call among all others of a conversation, for one that came without an id of its own. */
export function callItem(call: PartialCall, place: string, taken: readonly string[]): ReplyItem {
  const { name, text, custom } = call;
  const id = call.id === '' || taken.includes(call.id) ? madeUpId([place, name, text]) : callId(call.id);
  const raw = custom
    ? { id, type: 'custom', custom: { name, input: text, ...call.innerRest }, ...call.rest }
    : { id, type: 'function', function: { name, arguments: text, ...call.innerRest }, ...call.rest };
  const payload = custom
    ? ({ kind: 'custom', input: text } as const)
    : ({ kind: 'function', arguments: text } as const);
  return { kind: 'call', call: { id, name, payload }, raw };
}
