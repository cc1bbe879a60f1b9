/** Entries of a history as the Chat Completions API spells them. A reply is one message, whatever it was made of. */
import type { JsonObject } from '../core/json-object.js';
import type { Entry, ReplyEntry, ReplyItem } from '../core/model.js';
import type { Dialect } from '../core/provider.js';
import { chatAnswers } from './chat-answer.js';
import { chatContent } from './chat-content.js';
import { loweredArguments } from './lower.js';
import { mergeFields } from './merge-fields.js';

export function encodeForChat(entry: Entry, dialect: Dialect): string {
  return messagesOf(entry, dialect)
    .map((message) => JSON.stringify(message))
    .join(',');
}

function messagesOf(entry: Entry, { contextRole }: Dialect): readonly JsonObject[] {
  switch (entry.kind) {
    case 'input': {
      const role = entry.role === 'developer' ? contextRole : entry.role;
      return [{ role, content: chatContent(entry.content) }];
    }
    case 'reply':
      return reply(entry.wire === 'chat' ? entry : withoutRaw(entry));
    case 'answers':
      return chatAnswers(entry.answers);
  }
}

/** What came over the other wire means nothing here beyond what was said and called. */
function withoutRaw({ items, ...entry }: ReplyEntry): ReplyEntry {
  const said = items.filter((item) => item.kind === 'message' || item.kind === 'call');
  return { ...entry, items: said.map(({ raw: _raw, ...item }) => item) };
}

function reply({ wire, items }: ReplyEntry): readonly JsonObject[] {
  const calls = items.flatMap((item) => (item.kind === 'call' ? [toolCall(item)] : []));
  const fields = mergeFields(items.map(ownFields));
  if (calls.length === 0 && Object.keys(fields).length === 0 && !items.some((item) => item.kind === 'message')) {
    return [];
  }
  const content = contentOf(items, wire === 'chat' ? '' : '\n\n') ?? (calls.length > 0 ? null : '');
  return [{ role: 'assistant', content, ...fields, ...(calls.length > 0 && { tool_calls: calls }) }];
}

/** What the server said beside text and calls, such as what it thought: some want it back. */
function ownFields(item: ReplyItem): JsonObject {
  if (item.kind === 'call' || item.raw === undefined) return {};
  const { content: _content, ...fields } = item.raw;
  return fields;
}

/** Pieces of one message belong together as they are; whole messages are kept apart. */
function contentOf(items: readonly ReplyItem[], between: string): unknown {
  const messages = items.flatMap((item) => (item.kind === 'message' ? [item] : []));
  const [first, ...others] = messages;
  if (first?.raw && others.length === 0) return first.raw['content'];
  return first === undefined ? undefined : messages.map(({ text }) => text).join(between);
}

function toolCall({ raw, call }: Extract<ReplyItem, { kind: 'call' }>): JsonObject {
  if (raw !== undefined) return raw;
  return { id: call.id, type: 'function', function: { name: call.name, arguments: loweredArguments(call.payload) } };
}
