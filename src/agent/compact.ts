/**
 * Tells a long conversation shorter: the model writes a summary, what the user said stays, and so does what we told of
 * the surroundings. The tools stay in the request, so that what a server has cached of it still holds.
 */
import type { InputEntry, Model, ModelRequest, Usage } from '../core/model.js';
import { ModelError, NO_USAGE } from '../core/model.js';
import { schemaInWords } from '../core/schema-in-words.js';
import { developerEntry, userEntry } from './entries.js';
import type { History, Told } from './history.js';
import { keptEntries } from './kept-entries.js';
import { now } from './keeping.js';
import type { Keeping } from './keeping.js';
import type { Meter } from './limits.js';
import { createReading } from './reading.js';
import { standingText } from './standing.js';
import type { Standing } from './standing.js';
import { tryAgain } from './try-again.js';
import type { TryingParts } from './try-again.js';
import { addUsage } from './usage.js';

export type CompactingParts = TryingParts & {
  readonly request: ModelRequest;
  readonly history: History;
  readonly meter: Meter;
  readonly used: (usage: Usage) => void;
  readonly keeping: Keeping;
  /** What goes on beside the conversation. */
  readonly standing: () => Standing;
};

export type CompactReason = 'overflow' | 'near-limit' | 'asked';

/** Throws as `ask` does. The history is as it was then. */
export async function compact(parts: CompactingParts, reason: CompactReason): Promise<void> {
  const { history, emit, turn, keeping } = parts;
  const tokensBefore = history.tokens();
  let usage = NO_USAGE;
  const summary = await summarise({
    ...parts,
    used(more) {
      usage = addUsage(usage, more);
      parts.used(more);
    },
  });
  const notes = summaryEntry(summary, standingText(history.entries, parts.standing()));
  const shorter = [notes, ...schemaWords(parts)].map((entry) => ({ entry, origin: 'turn' }) as const);
  const entries: readonly Told[] = [...keptEntries(history.entries, parts.model), ...shorter];
  keeping.append({ type: 'history.replaced', at: now(), reason, entries, usage });
  history.replace(entries);
  emit({ type: 'history.compacted', turn, reason, tokensBefore, tokensAfter: history.tokens() });
}

/** What the answer of this turn has to look like, where only words say so. */
function schemaWords({ model, request: { outputSchema } }: CompactingParts): readonly InputEntry[] {
  return outputSchema && !model.takesSchemas ? [developerEntry(schemaInWords(outputSchema))] : [];
}

const MOST_HALVINGS = 6;

/** A history that no longer fits is sent without its oldest half, then without half of the rest. */
async function summarise(parts: CompactingParts): Promise<string> {
  let entries = parts.history.entries;
  for (let halvings = 0; ; halvings += 1) {
    try {
      return await askForSummary(halvings === 0 ? parts.history.bytes() : encoded(entries, parts.model), parts);
    } catch (error) {
      const shorter = withoutOldestHalf(entries, parts.model);
      const isTooLong = error instanceof ModelError && error.kind === 'overflow';
      if (!isTooLong || halvings === MOST_HALVINGS || shorter.length === entries.length) throw error;
      entries = shorter;
    }
  }
}

async function askForSummary(bytes: Uint8Array, parts: CompactingParts): Promise<string> {
  const { model, turn, signal, meter, emit } = parts;
  const request: ModelRequest = { ...withoutSchema(parts.request), toolChoice: 'none' };
  const asked = Buffer.from(`${bytes.length === 0 ? '' : ','}${model.encode(userEntry(ASK_FOR_SUMMARY))}`);
  const body = Buffer.concat([bytes, asked]);
  // Nobody follows how a summary comes about, and it has no calls to run.
  const silent = { turn, emit: () => {}, counts: () => {}, start: runsNothing };
  const text = await tryAgain(parts, {
    async make() {
      const reading = createReading(silent);
      meter.ask();
      emit({ type: 'request.started', turn, request: meter.requests, bytes: body.length });
      for await (const event of model.open(request, body, signal)) if (!isCall(event)) reading.take(event);
      if (reading.completed?.usage) parts.used(reading.completed.usage);
      return reading.items.map((item) => (item.kind === 'message' ? item.text : '')).join('\n');
    },
    failed: () => Promise.resolve(false),
  });
  return text.trim() === '' ? NO_SUMMARY : text;
}

function runsNothing(): never {
  throw new Error('a summary runs nothing');
}

function isCall(event: Parameters<ReturnType<typeof createReading>['take']>[0]): boolean {
  return event.kind === 'item' && event.item.kind === 'call';
}

function withoutSchema({ outputSchema: _, ...request }: ModelRequest): ModelRequest {
  return request;
}

function encoded(entries: readonly Told[], model: Model): Uint8Array {
  const texts = entries.map(({ entry }) => model.encode(entry)).filter((text) => text !== '');
  return Buffer.from(texts.join(','));
}

/** A reply and its answers go together. What we told of the surroundings stays. */
function withoutOldestHalf(entries: readonly Told[], model: Model): readonly Told[] {
  const sizes = entries.map(({ entry, origin }) => (origin === 'context' ? 0 : model.encode(entry).length));
  const half = sizes.reduce((sum, size) => sum + size, 0) / 2;
  let seen = 0;
  let from = entries.findIndex((_, at) => (seen += sizes[at] ?? 0) > half);
  if (from !== -1) from += 1;
  while (entries[from]?.entry.kind === 'answers') from += 1;
  return entries.filter(({ origin }, at) => origin === 'context' || at >= from);
}

function summaryEntry(summary: string, standing: string): InputEntry {
  return userEntry(`${SUMMARY_INTRODUCTION}\n\n${summary.trim()}${standing}`);
}

const ASK_FOR_SUMMARY = `The conversation is about to be shortened: everything above will be replaced by what you write now. Call no tool. Write notes for yourself from which you can go on without having seen the rest:
- what the user wants, in their words where these matter, and what they ruled out
- what is done: files changed, commands run and what they showed, decisions and their reasons
- what is under way: the plan with the state of each step, sessions that still run and their numbers
- what comes next, and what you know that would be costly to find out again (paths, names, errors)
Be exact and brief. Do not repeat file contents that can be read again.`;

const SUMMARY_INTRODUCTION =
  'The earlier part of this conversation was shortened. These are your own notes on it; the work in them is done and must not be repeated:';

const NO_SUMMARY = '(No notes were written. Look at the files to see what has been done.)';
