/** One turn: the model is asked, its calls are answered, and so on until it has nothing more to do. */
import type { ReplyItem } from '../core/model.js';
import { ModelError } from '../core/model.js';
import { contentEvent } from '../core/output.js';
import type { UserInput } from '../core/turn.js';
import { absorb } from './absorb.js';
import { ask } from './ask.js';
import type { AskingParts } from './ask.js';
import { compact } from './compact.js';
import type { CompactingParts } from './compact.js';
import { GO_ON, userEntry } from './entries.js';
import type { Reading } from './reading.js';
import { TurnEnd } from './turn-end.js';

export type TurnParts = AskingParts &
  CompactingParts & {
    /** Tokens from which on the history is told shorter; absent when nobody knows how many fit. */
    readonly compactAt?: number;
    /** What the user has said since the turn began, each once. */
    readonly steered: () => readonly UserInput[];
  };

/** How often in a row an answer may be cut off by the limit of its length. */
const MOST_CONTINUATIONS = 8;

/** How often in a row a model may go on without doing anything. */
const MOST_IDLE = 20;

/** Resolves to the model's last words. Throws what ends a turn early, see `toTurnEnd`. */
export async function converse(parts: TurnParts): Promise<string | undefined> {
  let last: string | undefined;
  let cutOff: string[] = [];
  let idle = 0;
  for (;;) {
    hear(parts);
    const reading = await askInTime(parts);
    const calls = await absorb(reading, parts);
    const said = messageOf(reading.items);
    last = said ?? last;
    idle = calls > 0 ? 0 : idle + 1;
    const next = idle > MOST_IDLE ? 'done' : afterResponse(reading, calls);
    if (next === 'done' && hear(parts)) continue;
    if (next === 'done') return cutOff.length === 0 ? last : [...cutOff, said ?? ''].join('');
    cutOff = next === 'continue' ? [...cutOff, said ?? ''] : [];
    if (next === 'continue') goOn(parts, cutOff.length);
  }
}

/** What the user says while the model works is told to it with the next request. False when there is nothing new. */
function hear({ history, steered, turn, emit }: TurnParts): boolean {
  const inputs = steered();
  for (const input of inputs) {
    const entry = userEntry(input);
    history.say(entry, 'user');
    emit({ type: 'input.taken', turn, content: entry.content.map(contentEvent) });
  }
  return inputs.length > 0;
}

/** What the response asks for: the answers to its calls, the rest of what it was saying, or nothing. */
function afterResponse({ completed }: Reading, calls: number): 'done' | 'continue' | 'ask' {
  if (completed?.stop === 'filter') throw new TurnEnd('failed', { kind: 'filter', message: FILTERED });
  if (calls > 0) return 'ask';
  if (completed?.stop === 'length') return 'continue';
  return completed?.endTurn === false ? 'ask' : 'done';
}

const FILTERED = "the model's server stopped the response because of what it contains (content filter)";

function goOn({ history }: TurnParts, continuations: number): void {
  if (continuations > MOST_CONTINUATIONS) {
    const message = `the model's answer was cut off ${continuations} times by the limit of its length; model_max_output_tokens sets it`;
    throw new TurnEnd('failed', { kind: 'length', message });
  }
  history.say(GO_ON, 'turn');
}

/** Before the history grows too long, and once more when the server says that it is. */
async function askInTime(parts: TurnParts): Promise<Reading> {
  const { history, compactAt = Infinity } = parts;
  if (history.tokens() >= compactAt && hasWork(parts) && isWorthIt(parts)) await compact(parts, 'near-limit');
  try {
    return await ask(parts);
  } catch (error) {
    if (!(error instanceof ModelError) || error.kind !== 'overflow' || !hasWork(parts)) throw error;
    await compact(parts, 'overflow');
    return ask(parts);
  }
}

/** What was only just told shorter will not become any shorter. */
function isWorthIt({ history, compactAt = 0 }: TurnParts): boolean {
  return history.tokensSinceReplaced() >= compactAt / 10;
}

/** What the user has only just said cannot be told shorter. */
function hasWork({ history }: TurnParts): boolean {
  return history.entries.some(({ entry }) => entry.kind === 'reply');
}

function messageOf(items: readonly ReplyItem[]): string | undefined {
  const message = items.findLast((item) => item.kind === 'message');
  return message?.kind === 'message' ? message.text : undefined;
}
