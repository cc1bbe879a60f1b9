/** A turn as items of the Responses API, each with the events that tell it. */
import type { JsonObject } from '../core/json-object.js';
import { argumentsText, callIdOf, inChunks } from './scripted-model-spelling.js';
import type { Asked } from './scripted-model-spelling.js';
import type { ScriptedCall, ScriptedTurn } from './scripted-model-turn.js';

/** An item when it is done, when it begins, and the events between. */
export type ToldItem = { readonly item: JsonObject; readonly begun: JsonObject; readonly told: readonly JsonObject[] };

export function itemsOf(turn: ScriptedTurn, asked: Asked): readonly ToldItem[] {
  const { reasoning, text, calls = [], items = [] } = turn;
  const tellers: readonly Teller[] = [
    ...(reasoning === undefined ? [] : [tellReasoning(reasoning, turn)]),
    ...(text === undefined ? [] : [tellMessage(text, turn)]),
    ...calls.map((call, index) => tellCall(call, callIdOf(call, index, asked), turn)),
    ...items.map((item) => () => ({ item, begun: item, told: [] })),
  ];
  const all = tellers.map((tell, index) => tell(index, `${asked.number}_${index}`));
  return asked.cut === undefined ? all : all.map((each, index) => (index === all.length - 1 ? cutShort(each) : each));
}

/** Gets the place of the item among the others, and what makes its ids its own. */
type Teller = (output_index: number, key: string) => ToldItem;

function tellReasoning(reasoning: NonNullable<ScriptedTurn['reasoning']>, turn: ScriptedTurn): Teller {
  const { summary: text, encrypted } = typeof reasoning === 'string' ? { summary: reasoning } : reasoning;
  return (output_index, key) => {
    const part = { type: 'summary_text', text };
    const secret = encrypted === undefined ? {} : { encrypted_content: encrypted };
    const item = { type: 'reasoning', id: `rs_${key}`, summary: [part], ...secret };
    const at = { item_id: item.id, output_index, summary_index: 0 };
    const told = [
      { type: 'response.reasoning_summary_part.added', ...at, part: { ...part, text: '' } },
      ...deltas(text, turn, { type: 'response.reasoning_summary_text.delta', ...at }),
      { type: 'response.reasoning_summary_text.done', ...at, text },
      { type: 'response.reasoning_summary_part.done', ...at, part },
    ];
    return { item, begun: { ...item, summary: [] }, told };
  };
}

function deltas(text: string, turn: ScriptedTurn, known: JsonObject): readonly JsonObject[] {
  return inChunks(text, turn).map((delta) => Object.assign({}, known, { delta }));
}

function tellMessage(text: string, turn: ScriptedTurn): Teller {
  return (output_index, key) => {
    const part = { type: 'output_text', text, annotations: [] };
    const phase = turn.phase === undefined ? {} : { phase: turn.phase };
    const known = { type: 'message', id: `msg_${key}`, role: 'assistant', ...phase };
    const at = { item_id: known.id, output_index, content_index: 0 };
    const told = [
      { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
      ...deltas(text, turn, { type: 'response.output_text.delta', ...at }),
      { type: 'response.output_text.done', ...at, text },
      { type: 'response.content_part.done', ...at, part },
    ];
    return {
      item: { ...known, status: 'completed', content: [part] },
      begun: { ...known, status: 'in_progress', content: [] },
      told,
    };
  };
}

function tellCall(call: ScriptedCall, call_id: string, turn: ScriptedTurn): Teller {
  return (output_index, key) => {
    if ('localShell' in call) return tellShell(call, { id: `lsh_${key}`, call_id });
    const custom = 'custom' in call;
    const [kind, field, id] = custom
      ? (['custom_tool_call', 'input', `ctc_${key}`] as const)
      : (['function_call', 'arguments', `fc_${key}`] as const);
    const text = custom ? call.input : argumentsText(call.arguments);
    const known = { type: kind, id, call_id, name: custom ? call.custom : call.name };
    const event = `response.${kind}_${field}`;
    const at = { item_id: id, output_index };
    const told = [
      ...deltas(text, turn, { type: `${event}.delta`, ...at }),
      { type: `${event}.done`, ...at, [field]: text },
    ];
    return {
      item: { ...known, status: 'completed', [field]: text },
      begun: { ...known, status: 'in_progress', [field]: '' },
      told,
    };
  };
}

function tellShell(
  { localShell, cwd, timeoutMs }: Extract<ScriptedCall, { localShell: unknown }>,
  ids: { readonly id: string; readonly call_id: string },
): ToldItem {
  const where = cwd === undefined ? {} : { working_directory: cwd };
  const bound = timeoutMs === undefined ? {} : { timeout_ms: timeoutMs };
  const action = { type: 'exec', command: localShell, env: {}, ...where, ...bound };
  const known = { type: 'local_shell_call', ...ids, action };
  return { item: { ...known, status: 'completed' }, begun: { ...known, status: 'in_progress' }, told: [] };
}

function cutShort({ item, ...rest }: ToldItem): ToldItem {
  return { ...rest, item: 'status' in item ? { ...item, status: 'incomplete' } : item };
}
