/** What the two APIs have in common for a server: a stream of events, or the same in one piece. */
import type { JsonObject } from '../core/json-object.js';
import type { ScriptedCall, ScriptedError, ScriptedTurn, ScriptedUsage } from './scripted-model-turn.js';

export interface Spelling {
  stream(turn: ScriptedTurn, asked: Asked): EventStream;
  /** The events that end a stream which has failed. */
  failure(error: Required<ScriptedError>, asked: Asked): readonly StreamEvent[];
  /** The event that is an error itself. */
  errorEvent(error: Required<ScriptedError>): StreamEvent;
  /** A whole response, for who did not ask for a stream. */
  whole(turn: ScriptedTurn, asked: Asked): JsonObject;
  /** The same of a response that failed; undefined where that is a matter of the status. */
  wholeFailure(error: Required<ScriptedError>, asked: Asked): JsonObject | undefined;
}

/** What an answer depends on beside its turn. */
export type Asked = {
  /** Of the request; the first is 1. Makes ids that no other answer has. */
  readonly number: number;
  readonly model: string;
  /** Whether the end of a chat stream tells the usage. */
  readonly includeUsage: boolean;
  /** Why the answer is said to be incomplete, if it is. */
  readonly cut?: string;
  /** The end of items, or the reason for the end, is not told. */
  readonly noDoneItems?: boolean;
};

export type StreamEvent = { readonly name?: string; readonly data: string };

/** `items` has the events of each item. */
export type EventStream = {
  readonly opening: readonly StreamEvent[];
  readonly items: readonly (readonly StreamEvent[])[];
  readonly ending: readonly StreamEvent[];
};

const USUAL_CHUNK = 16;

/** Text in pieces of so many characters, none of which is cut in two. */
export function inChunks(text: string, { chunkSize = USUAL_CHUNK }: ScriptedTurn): readonly string[] {
  const characters = Array.from(text);
  const size = Math.max(1, chunkSize);
  const count = Math.ceil(characters.length / size);
  return Array.from({ length: count }, (_, index) => characters.slice(index * size, (index + 1) * size).join(''));
}

/** Undefined when the server does not say. */
export function usageOf({ usage = {} }: ScriptedTurn): Required<ScriptedUsage> | undefined {
  return usage === 'none' ? undefined : { input: 100, output: 10, cached: 0, reasoning: 0, ...usage };
}

/** The same over both APIs, and another in each answer. */
export function callIdOf({ callId }: ScriptedCall, index: number, { number }: Asked): string {
  return callId ?? `call_${number}_${index}`;
}

export function argumentsText(value: JsonObject | string): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
