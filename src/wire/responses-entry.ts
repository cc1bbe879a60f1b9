/** Entries of a history as the Responses API spells them. */
import type { JsonObject } from '../core/json-object.js';
import type { Entry, InputEntry, ReplyEntry, ReplyItem } from '../core/model.js';
import type { Dialect } from '../core/provider.js';
import { loweredArguments } from './lower.js';
import { responsesAnswer } from './responses-answer.js';
import { responsesContent } from './responses-content.js';

export function encodeForResponses(entry: Entry, dialect: Dialect): string {
  return itemsOf(entry, dialect)
    .map((item) => JSON.stringify(item))
    .join(',');
}

function itemsOf(entry: Entry, dialect: Dialect): readonly JsonObject[] {
  switch (entry.kind) {
    case 'input':
      return [input(entry, dialect)];
    case 'reply':
      return reply(entry);
    case 'answers':
      return entry.answers.map(responsesAnswer);
  }
}

function input({ role, content }: InputEntry, { contextRole }: Dialect): JsonObject {
  return {
    type: 'message',
    role: role === 'developer' ? contextRole : role,
    content: responsesContent(content),
  };
}

/** What came over this wire goes back as it came. */
function reply({ wire, items }: ReplyEntry): readonly JsonObject[] {
  return items
    .map((item) => (wire === 'responses' ? item.raw : undefined) ?? spelled(item))
    .filter((item) => item !== undefined);
}

/** What was made up, or came over another wire; its reasoning means nothing here. */
function spelled(item: ReplyItem): JsonObject | undefined {
  if (item.kind === 'message') {
    const { text, phase } = item;
    const content = [{ type: 'output_text', text }];
    return { type: 'message', role: 'assistant', content, ...(phase !== undefined && { phase }) };
  }
  if (item.kind !== 'call') return undefined;
  const { id, name, payload } = item.call;
  return payload.kind === 'custom'
    ? { type: 'custom_tool_call', call_id: id, name, input: payload.input }
    : { type: 'function_call', call_id: id, name, arguments: loweredArguments(payload) };
}
