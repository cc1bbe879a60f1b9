/** The server's side of the Responses API. */
import type { JsonObject } from '../core/json-object.js';
import { itemsOf } from './scripted-model-items.js';
import type { ToldItem } from './scripted-model-items.js';
import { usageOf } from './scripted-model-spelling.js';
import type { Asked, Spelling, StreamEvent } from './scripted-model-spelling.js';
import type { ScriptedTurn } from './scripted-model-turn.js';

export const responsesSpelling: Spelling = {
  stream(turn, asked) {
    const begun = response(asked, { status: 'in_progress', output: [] });
    const last = finished(turn, asked);
    return {
      opening: [
        event({ type: 'response.created', response: begun }),
        event({ type: 'response.in_progress', response: begun }),
      ],
      items: itemsOf(turn, asked).map((told, index) => itemEvents(told, index, asked)),
      ending: [event({ type: `response.${String(last['status'])}`, response: last })],
    };
  },
  failure: (error, asked) => [event({ type: 'response.failed', response: failed(error, asked) })],
  errorEvent: (error) => event({ type: 'error', ...error, param: null }),
  whole: finished,
  wholeFailure: failed,
};

function response({ number, model }: Asked, rest: JsonObject): JsonObject {
  return { id: `resp_${number}`, object: 'response', created_at: 0, model, ...rest };
}

function finished(turn: ScriptedTurn, asked: Asked): JsonObject {
  return response(asked, {
    ...(asked.cut === undefined
      ? { status: 'completed' }
      : { status: 'incomplete', incomplete_details: { reason: asked.cut } }),
    output: itemsOf(turn, asked).map(({ item }) => item),
    ...(turn.endTurn !== undefined && { end_turn: turn.endTurn }),
    usage: usage(turn),
  });
}

function usage(turn: ScriptedTurn): JsonObject | null {
  const tokens = usageOf(turn);
  if (tokens === undefined) return null;
  return {
    input_tokens: tokens.input,
    input_tokens_details: { cached_tokens: tokens.cached },
    output_tokens: tokens.output,
    output_tokens_details: { reasoning_tokens: tokens.reasoning },
    total_tokens: tokens.input + tokens.output,
  };
}

function itemEvents({ item, begun, told }: ToldItem, output_index: number, asked: Asked): readonly StreamEvent[] {
  const done = { type: 'response.output_item.done', output_index, item };
  const added = { type: 'response.output_item.added', output_index, item: begun };
  return [added, ...told, ...(asked.noDoneItems ? [] : [done])].map(event);
}

function failed(error: JsonObject, asked: Asked): JsonObject {
  return response(asked, { status: 'failed', output: [], error, usage: null });
}

function event(data: JsonObject): StreamEvent {
  return { name: String(data['type']), data: JSON.stringify(data) };
}
