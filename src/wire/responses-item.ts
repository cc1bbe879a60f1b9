/** One item of a response, from the Responses API's spelling to ours. What it was is kept with it, to be sent back. */
import { localShellPayload } from '../core/call.js';
import type { Payload } from '../core/call.js';
import { callId } from '../core/ids.js';
import type { JsonObject } from '../core/json-object.js';
import type { ReplyItem } from '../core/model.js';
import { madeUpId } from './made-up-id.js';
import { argumentsIn, countIn, objectIn, objectsIn, textIn } from './read-field.js';

export function readResponsesItem(raw: JsonObject): ReplyItem {
  switch (raw['type']) {
    case 'message':
      return readMessage(raw);
    case 'reasoning':
      return { kind: 'reasoning', text: reasoningText(raw), raw };
    case 'function_call':
      return readCall(raw, { kind: 'function', arguments: argumentsIn(raw['arguments']) });
    case 'custom_tool_call':
      return readCall(raw, { kind: 'custom', input: textIn(raw['input']) ?? '' });
    case 'local_shell_call':
      return readCall({ ...raw, name: toolOf(raw) }, shellPayload(raw), raw);
    default:
      return HOSTED.has(String(raw['type'])) ? readHosted(raw) : { kind: 'other', raw };
  }
}

function readMessage(raw: JsonObject): ReplyItem {
  if ((raw['role'] ?? 'assistant') !== 'assistant') return { kind: 'other', raw };
  const phase = textIn(raw['phase']);
  return { kind: 'message', text: messageText(raw), ...(phase !== undefined && { phase }), raw };
}

function messageText({ content }: JsonObject): string {
  if (typeof content === 'string') return content;
  return objectsIn(content)
    .map((part) => textIn(part['text']) ?? textIn(part['refusal']) ?? '')
    .join('');
}

/** Stands between two parts of what a model thought. */
export const REASONING_BREAK = '\n\n';

function reasoningText({ summary, content }: JsonObject): string {
  return [...objectsIn(summary), ...objectsIn(content)]
    .flatMap((part) => textIn(part['text']) ?? [])
    .join(REASONING_BREAK);
}

/** `sent` is what goes back, which has to have the id that the answer names. */
function readCall(raw: JsonObject, payload: Payload, sent: JsonObject = raw): ReplyItem {
  const name = textIn(raw['name']);
  if (name === undefined) return { kind: 'other', raw: sent };
  const id = textIn(raw['call_id']) ?? textIn(raw['id']) ?? madeUpId([JSON.stringify(raw)]);
  return {
    kind: 'call',
    call: { id: callId(id), name: qualified(name, raw), payload },
    raw: sent['call_id'] === id ? sent : { ...sent, call_id: id },
  };
}

/** A server may have put tools into namespaces of its own accord. */
function qualified(name: string, { namespace }: JsonObject): string {
  const space = textIn(namespace);
  return space === undefined ? name : `${space.replace(/__$/, '')}__${name}`;
}

function shellPayload(raw: JsonObject): Payload {
  const action = objectIn(raw['action']) ?? {};
  const command: unknown[] = Array.isArray(action['command']) ? action['command'] : [];
  const cwd = textIn(action['working_directory']);
  const timeoutMs = countIn(action['timeout_ms']);
  return localShellPayload({
    argv: command.filter((word) => typeof word === 'string'),
    ...(cwd !== undefined && { cwd }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
}

/** Tools that run where the model runs: told, not answered. */
const HOSTED: ReadonlySet<string> = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_call',
]);

function readHosted(raw: JsonObject): ReplyItem {
  const { type: _type, id, ...detail } = raw;
  return { kind: 'hosted', name: toolOf(raw), id: textIn(id) ?? '', detail, raw };
}

/** A call of a kind of its own is named for its tool. */
function toolOf({ type }: JsonObject): string {
  return String(type).replace(/_call$/, '');
}
