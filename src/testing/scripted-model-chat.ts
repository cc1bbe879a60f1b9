/** The server's side of the Chat Completions API. It has text, reasoning and functions; every other call is lowered to one. */
import type { JsonObject } from '../core/json-object.js';
import { argumentsText, callIdOf, inChunks, usageOf } from './scripted-model-spelling.js';
import type { Asked, Spelling, StreamEvent } from './scripted-model-spelling.js';
import type { ScriptedCall, ScriptedTurn } from './scripted-model-turn.js';

export const chatSpelling: Spelling = {
  stream(turn, asked) {
    const delta = (each: JsonObject) => event(chunk(asked, { index: 0, delta: each, finish_reason: null }));
    const finish = event(chunk(asked, { index: 0, delta: {}, finish_reason: finishReason(turn, asked) }));
    const tokens = asked.includeUsage ? usage(turn) : undefined;
    return {
      opening: [delta({ role: 'assistant', content: '' })],
      items: deltasOf(turn, asked).map((deltas) => deltas.map(delta)),
      ending: [
        ...(asked.noDoneItems ? [] : [finish]),
        ...(tokens === undefined ? [] : [event({ ...envelope(asked, '.chunk'), choices: [], usage: tokens })]),
        { data: '[DONE]' },
      ],
    };
  },
  failure: (error) => [event({ error: { ...error, type: error.code } })],
  errorEvent: (error) => ({ name: 'error', ...event({ error: { ...error, type: error.code } }) }),
  whole(turn, asked) {
    const choice = { index: 0, message: message(turn, asked), finish_reason: finishReason(turn, asked) };
    const tokens = usage(turn);
    return { ...envelope(asked, ''), choices: [choice], ...(tokens && { usage: tokens }) };
  },
  wholeFailure: () => undefined,
};

function envelope({ number, model }: Asked, kind: '' | '.chunk'): JsonObject {
  return { id: `chatcmpl-${number}`, object: `chat.completion${kind}`, created: 0, model };
}

function chunk(asked: Asked, choice: JsonObject): JsonObject {
  return { ...envelope(asked, '.chunk'), choices: [choice] };
}

function event(data: JsonObject): StreamEvent {
  return { data: JSON.stringify(data) };
}

function finishReason({ calls = [] }: ScriptedTurn, { cut }: Asked): string {
  if (cut !== undefined) return cut === 'max_output_tokens' ? 'length' : cut;
  return calls.length > 0 ? 'tool_calls' : 'stop';
}

/** For each thing that is said, the pieces in which it comes. */
function deltasOf(turn: ScriptedTurn, asked: Asked): readonly (readonly JsonObject[])[] {
  const { text, calls = [] } = turn;
  const reasoning = reasoningText(turn);
  return [
    ...(reasoning === undefined ? [] : [inChunks(reasoning, turn).map((each) => ({ reasoning_content: each }))]),
    ...(text === undefined ? [] : [inChunks(text, turn).map((content) => ({ content }))]),
    ...calls.map((call, index) => callDeltas(turn, lowered(call, callIdOf(call, index, asked)), index)),
  ];
}

function reasoningText({ reasoning }: ScriptedTurn): string | undefined {
  return typeof reasoning === 'object' ? reasoning.summary : reasoning;
}

type FunctionCall = {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
};

function lowered(call: ScriptedCall, id: string): FunctionCall {
  const asFunction = (name: string, value: JsonObject | string): FunctionCall => {
    return { id, type: 'function', function: { name, arguments: argumentsText(value) } };
  };
  if ('custom' in call) return asFunction(call.custom, { input: call.input });
  if ('name' in call) return asFunction(call.name, call.arguments);
  const { localShell: command, cwd: workdir, timeoutMs: timeout_ms } = call;
  return asFunction('local_shell', {
    command,
    ...(workdir !== undefined && { workdir }),
    ...(timeout_ms !== undefined && { timeout_ms }),
  });
}

function callDeltas(turn: ScriptedTurn, call: FunctionCall, index: number): readonly JsonObject[] {
  const { name, arguments: text } = call.function;
  return [
    { tool_calls: [{ index, ...call, function: { name, arguments: '' } }] },
    ...inChunks(text, turn).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ];
}

function usage(turn: ScriptedTurn): JsonObject | undefined {
  const tokens = usageOf(turn);
  return (
    tokens && {
      prompt_tokens: tokens.input,
      prompt_tokens_details: { cached_tokens: tokens.cached },
      completion_tokens: tokens.output,
      completion_tokens_details: { reasoning_tokens: tokens.reasoning },
      total_tokens: tokens.input + tokens.output,
    }
  );
}

function message(turn: ScriptedTurn, asked: Asked): JsonObject {
  const { text, calls = [] } = turn;
  const reasoning = reasoningText(turn);
  return {
    role: 'assistant',
    content: text ?? null,
    ...(reasoning !== undefined && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls.map((call, index) => lowered(call, callIdOf(call, index, asked))) }),
  };
}
