/** What the model says in one act, step by step, and what else happens at each of them. */
import { ModelError } from '../core/model.js';
import type { FailureKind, InputEntry, ModelEvent } from '../core/model.js';
import type { ModelStep, RecordedAct, ResponseStep } from './recorded-act.js';

export interface ModelScript {
  /** The next response. What was a summary is passed over: nobody asked for one this time. */
  response(): Played;
  summary(): Played;
}

/** Events to give, and how it goes on after them. */
export type Played = {
  readonly events: readonly ModelEvent[];
  /** What the user said while this was read. */
  readonly steered: readonly InputEntry[];
  readonly end:
    | { readonly kind: 'complete' }
    | { readonly kind: 'failed'; readonly error: ModelError }
    /** The turn was stopped here, or the recording was. */
    | { readonly kind: 'stopped' };
};

export function createModelScript(act: RecordedAct): ModelScript {
  const steps = stepsOf(act);
  let next = 0;

  return {
    response() {
      while (steps[next]?.kind === 'summary') next += 1;
      const at = next;
      const step = steps[at];
      next += 1;
      if (step?.kind !== 'response') return isOpen(act) ? STOPPED : UNRECORDED;
      const steered = act.said.filter(({ afterSteps }) => afterSteps === at + 1).map(({ entry }) => entry);
      return { events: eventsOf(step), steered, end: endOf(step, at, act) };
    },
    summary() {
      const step = steps[next];
      if (step?.kind !== 'summary') return said('');
      next += 1;
      return said(summaryIn(step));
    },
  };
}

/** What was read of the last response before the program was stopped is one, too. */
function stepsOf({ steps, items }: RecordedAct): readonly ModelStep[] {
  return items.length === 0 ? steps : [...steps, { kind: 'response', items }];
}

/** Whether more might have come. */
function isOpen({ end }: RecordedAct): boolean {
  return end === undefined || end.status === 'interrupted';
}

const STOPPED: Played = { events: [], steered: [], end: { kind: 'stopped' } };

const UNRECORDED: Played = {
  events: [],
  steered: [],
  end: { kind: 'failed', error: new ModelError('refused', 'the recording has no further response of the model') },
};

function eventsOf({ items, stop, endTurn, usage }: ResponseStep): readonly ModelEvent[] {
  const given = items.map((item) => ({ kind: 'item', item }) as const);
  if (stop === undefined) return given;
  return [...given, { kind: 'completed', stop, ...(usage && { usage }), ...(endTurn !== undefined && { endTurn }) }];
}

function endOf(step: ResponseStep, at: number, act: RecordedAct): Played['end'] {
  if (step.stop !== undefined) return { kind: 'complete' };
  const after = act.steps[at + 1];
  if (after?.kind === 'summary') return { kind: 'failed', error: new ModelError('overflow', 'as it was recorded') };
  if (after !== undefined) return { kind: 'failed', error: BROKEN };
  const failure = act.end?.status === 'failed' ? act.end.error : undefined;
  return failure ? { kind: 'failed', error: lastError(failure) } : { kind: 'stopped' };
}

/** Tried again at once. */
const BROKEN = new ModelError('closed', 'the stream broke off, as it was recorded', {
  streaming: true,
  retryAfterMs: 0,
});

/** How often it was tried is added again. A server that wants to be left alone for ever is not tried once more. */
function lastError({
  kind,
  message,
  status,
}: {
  kind: string;
  message: string;
  status?: number | undefined;
}): ModelError {
  return new ModelError(kind as FailureKind, message.replace(/ \(tried \d+ times\)$/, ''), {
    retryAfterMs: Infinity,
    ...(status !== undefined && { status }),
  });
}

function said(text: string): Played {
  const message = { kind: 'item', item: { kind: 'message', text } } as const;
  return { events: [message, { kind: 'completed', stop: 'end' }], steered: [], end: { kind: 'complete' } };
}

/** Without the words that introduce it, which are said anew. */
function summaryIn({ replaced }: Extract<ModelStep, { kind: 'summary' }>): string {
  const entry = replaced.entries.at(-1)?.entry;
  const text = entry?.kind === 'input' && entry.content[0]?.kind === 'text' ? entry.content[0].text : '';
  return text.slice(text.indexOf('\n\n') + 2);
}
