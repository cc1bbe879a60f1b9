/** What a response says, put together from the pieces of a stream or read from the whole. */
import type { Wire } from '../../src/core/model.js';

export type Said = {
  readonly reasoning: string;
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly text: string }[];
};

export function saidInStream(wire: Wire, events: readonly unknown[]): Said {
  return wire === 'chat' ? saidInChunks(events as readonly Chunk[]) : saidInEvents(events as readonly Event[]);
}

export function saidWhole(wire: Wire, response: unknown): Said {
  if (wire === 'responses') return saidInItems((response as { output: readonly Item[] }).output);
  const { content, reasoning_content, tool_calls = [] } = (response as Completion).choices[0].message;
  return {
    reasoning: reasoning_content ?? '',
    text: content ?? '',
    calls: tool_calls.map((call) => ({ name: call.function.name, text: call.function.arguments })),
  };
}

type ChatCall = { readonly index: number; readonly function: { readonly name: string; readonly arguments: string } };
type Saying = {
  readonly content?: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly ChatCall[];
};
type Chunk = { readonly choices?: readonly { readonly delta: Saying }[] };
type Completion = { readonly choices: readonly [{ readonly message: Saying }] };

function saidInChunks(chunks: readonly Chunk[]): Said {
  const deltas = chunks.flatMap(({ choices = [] }) => choices.map(({ delta }) => delta));
  const pieces = deltas.flatMap(({ tool_calls = [] }) => tool_calls);
  const indexes = [...new Set(pieces.map(({ index }) => index))];
  return {
    reasoning: deltas.map((delta) => delta.reasoning_content ?? '').join(''),
    text: deltas.map((delta) => delta.content ?? '').join(''),
    calls: indexes.map((index) => {
      const own = pieces.filter((each) => each.index === index).map((each) => each.function);
      return { name: own[0]?.name ?? '', text: own.map((each) => each.arguments).join('') };
    }),
  };
}

type Item = {
  readonly type: string;
  readonly name?: string;
  readonly arguments?: string;
  readonly input?: string;
  readonly summary?: readonly { readonly text: string }[];
  readonly content?: readonly { readonly text: string }[];
};
type Event = { readonly type: string; readonly delta?: string; readonly output_index?: number; readonly item?: Item };

function saidInEvents(events: readonly Event[]): Said {
  const joined = (type: RegExp, index?: number) =>
    events
      .filter((event) => type.test(event.type) && (index === undefined || event.output_index === index))
      .map(({ delta }) => delta ?? '')
      .join('');
  const begun = events.filter(({ type, item }) => type.endsWith('item.added') && item?.name !== undefined);
  return {
    reasoning: joined(/summary_text\.delta$/),
    text: joined(/output_text\.delta$/),
    calls: begun.map(({ item, output_index }) => {
      return { name: item?.name ?? '', text: joined(/(?:arguments|input)\.delta$/, output_index) };
    }),
  };
}

function saidInItems(items: readonly Item[]): Said {
  const part = (parts: Item['content']) => (parts ?? []).map(({ text }) => text).join('');
  return {
    reasoning: items.map(({ summary }) => part(summary)).join(''),
    text: items.map(({ content }) => part(content)).join(''),
    calls: items
      .filter(({ name }) => name !== undefined)
      .map((item) => ({ name: item.name ?? '', text: item.arguments ?? item.input ?? '' })),
  };
}
