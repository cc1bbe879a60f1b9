/**
 * One response while it is read. Calls start the moment they are complete. What came before a call that has started
 * counts, whatever becomes of the rest of the stream; what came after it counts when the response is complete.
 */
import type { ToolCall } from '../core/call.js';
import type { Emit } from '../core/events.js';
import type { CallId } from '../core/ids.js';
import type { ModelEvent, ReplyItem } from '../core/model.js';
import type { CallResult } from '../core/outcome.js';

/** `own` is what the call is called here. */
export type Started = { readonly call: ToolCall; readonly own: CallId; readonly result: Promise<CallResult> };

type Completed = Extract<ModelEvent, { kind: 'completed' }>;

export interface Reading {
  take(event: ModelEvent): void;
  /** Nothing more will come of it: deltas that led to nothing are taken back. */
  broken(): void;
  /** What counts. */
  readonly items: readonly ReplyItem[];
  readonly started: readonly Started[];
  readonly completed: Completed | undefined;
}

export type ReadingParts = {
  readonly turn: string;
  readonly emit: Emit;
  /** Hears of each item as soon as it counts. */
  readonly counts: (item: ReplyItem) => void;
  readonly start: (call: ToolCall) => Started;
};

export function createReading({ turn, emit, counts, start }: ReadingParts): Reading {
  const items: ReplyItem[] = [];
  const started: Started[] = [];
  let waiting: ReplyItem[] = [];
  let hasDeltas = false;
  let completed: Completed | undefined;

  function keepWaiting(): void {
    for (const item of waiting) {
      items.push(item);
      counts(item);
      tell(item, turn, emit);
    }
    waiting = [];
    hasDeltas = false;
  }

  function delta(type: 'message.delta' | 'reasoning.delta', text: string): void {
    hasDeltas = true;
    emit({ type, turn, text });
  }

  function takeItem(item: ReplyItem): void {
    waiting.push(item);
    if (item.kind !== 'call') return;
    keepWaiting();
    const call = start(item.call);
    // Whoever waits for it hears of a failure; until then nobody need.
    call.result.catch(() => {});
    started.push(call);
  }

  return {
    items,
    started,
    get completed() {
      return completed;
    },
    take(event) {
      switch (event.kind) {
        case 'text-delta':
          return delta('message.delta', event.text);
        case 'reasoning-delta':
          return delta('reasoning.delta', event.text);
        case 'item':
          return takeItem(event.item);
        case 'completed':
          completed = event;
          return keepWaiting();
      }
    },
    broken() {
      if (hasDeltas) emit({ type: 'deltas.discarded', turn });
      waiting = [];
      hasDeltas = false;
    },
  };
}

/** Calls tell of themselves. */
function tell(item: ReplyItem, turn: string, emit: Emit): void {
  if (item.kind === 'message') {
    const { text, phase } = item;
    emit({ type: 'message.completed', turn, text, ...(phase !== undefined && { phase }) });
  }
  if (item.kind === 'reasoning' && item.text !== '') emit({ type: 'reasoning.completed', turn, text: item.text });
  if (item.kind === 'hosted') {
    const { id, name, detail } = item;
    emit({ type: 'hosted.finished', turn, id, name, detail: { ...detail } });
  }
}
