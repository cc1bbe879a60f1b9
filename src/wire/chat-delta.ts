/** What one piece of a message of the Chat Completions API brings: text, thoughts, and fields that are only kept. */
import { isJsonObject } from '../core/json-object.js';
import type { JsonObject } from '../core/json-object.js';
import { objectsIn, textIn } from './read-field.js';

/** Said to whoever asked: the answer, or why there is none. */
export function saidIn({ content, refusal }: JsonObject): string {
  return textOf(content) + (textIn(refusal) ?? '');
}

/** What the model thinks, under the first of its names that is there: some servers use two at once. */
export function thoughtIn(delta: JsonObject): string {
  return [delta['reasoning_content'], delta['reasoning'], delta['thinking']].map(textOf).find(Boolean) ?? '';
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (isJsonObject(value)) return textIn(value['text']) ?? textIn(value['content']) ?? '';
  return objectsIn(value)
    .map((part) => textIn(part['text']) ?? '')
    .join('');
}

/** All that is not read otherwise. Absent when there is nothing, as in most pieces. */
export function ownFieldsIn(delta: JsonObject): JsonObject | undefined {
  const own = Object.entries(delta).filter(([key, value]) => !READ.has(key) && value !== null);
  return own.length === 0 ? undefined : Object.fromEntries(own);
}

const READ: ReadonlySet<string> = new Set(['role', 'tool_calls', 'function_call']);

/** Of these, what belongs to the thoughts of a model. */
export function isThoughtField(key: string): boolean {
  return /^(reasoning|thinking|thought)/.test(key);
}
