/**
 * Asks the model once and reads its response, through however many tries that takes. When a stream breaks after a call
 * has started, the call and its answer are part of the next try; and should the model ask for the same again there, it
 * gets the answer it missed. Nothing runs twice because a connection broke.
 */
import type { ToolCall } from '../core/call.js';
import type { ModelRequest, Usage } from '../core/model.js';
import type { CallResult } from '../core/outcome.js';
import { tokensIn } from '../core/output.js';
import { absorb } from './absorb.js';
import type { AbsorbingParts } from './absorb.js';
import { now } from './keeping.js';
import type { Meter } from './limits.js';
import { createReading } from './reading.js';
import type { Reading, Started } from './reading.js';
import { tryAgain } from './try-again.js';
import type { TryingParts } from './try-again.js';
import { whileThinking } from './while-thinking.js';

export type AskingParts = TryingParts &
  AbsorbingParts & {
    readonly request: ModelRequest;
    readonly meter: Meter;
    /** Hears of every response that was paid for. */
    readonly used: (usage: Usage) => void;
    readonly start: (call: ToolCall) => Started;
    /** Begins with what a call may have to wait for. */
    readonly getReady: () => void;
  };

/** Resolves to a response that is complete. Throws a `ModelError`, `Aborted` or a `TurnEnd`. */
export async function ask(parts: AskingParts): Promise<Reading> {
  const missed = createMissed(parts);
  let reading: Reading | undefined;
  return tryAgain(parts, {
    async make() {
      const next = startReading(parts, missed);
      reading = next;
      await readInto(next, parts);
      return next;
    },
    async failed() {
      if (reading === undefined) return false;
      reading.broken();
      await absorb(reading, parts);
      return missed.add(reading.started);
    },
  });
}

function startReading({ turn, emit, keeping }: AskingParts, missed: Missed): Reading {
  return createReading({
    turn,
    emit,
    counts: (item) => keeping.append({ type: 'item.received', item }),
    start: (call) => missed.start(call),
  });
}

async function readInto(reading: Reading, parts: AskingParts): Promise<void> {
  const { turn, request, history, meter, model, emit, signal } = parts;
  const bytes = history.bytes();
  meter.ask();
  emit({ type: 'request.started', turn, request: meter.requests, bytes: bytes.length });
  const answered = meter.requests === 1 ? whileThinking(parts.getReady) : undefined;
  try {
    for await (const event of model.open(request, bytes, signal)) reading.take(event);
  } finally {
    answered?.();
  }
  const usage = reading.completed?.usage;
  if (usage) parts.used(usage);
  else meter.guess(history.tokens(), tokensIn(JSON.stringify(reading.items).length));
}

/** Calls of broken streams, whose answers the model may not have seen coming. */
interface Missed {
  start(call: ToolCall): Started;
  /** False when nothing in it is new. */
  add(started: readonly Started[]): boolean;
}

function createMissed({ start, emit, keeping }: AskingParts): Missed {
  const missed = new Map<string, Started[]>();
  const reused = new Set<ToolCall>();

  return {
    start(call) {
      const earlier = missed.get(keyOf(call))?.shift();
      if (earlier === undefined) return start(call);
      const { own } = earlier;
      reused.add(call);
      keeping.append({ type: 'call.started', at: now(), id: call.id, callId: own });
      emit({ type: 'call.reused', callId: call.id, of: earlier.call.id });
      return { call, own, result: earlier.result.then((result) => answering(call, result)) };
    },
    add(started) {
      for (const each of started) {
        const key = keyOf(each.call);
        missed.set(key, [...(missed.get(key) ?? []), each]);
      }
      return started.some(({ call }) => !reused.has(call));
    },
  };
}

function keyOf({ name, payload }: ToolCall): string {
  return JSON.stringify([name, payload]);
}

function answering({ id, payload }: ToolCall, { outcome, answer }: CallResult): CallResult {
  return { outcome, answer: { ...answer, callId: id, payloadKind: payload.kind } };
}
