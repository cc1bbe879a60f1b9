/** Takes what counts of a response into the history, with the answers to its calls once these have ended. */
import type { Emit } from '../core/events.js';
import type { Model } from '../core/model.js';
import type { Answer, CallResult } from '../core/outcome.js';
import type { SessionLine } from '../core/session-log.js';
import type { History } from './history.js';
import type { Keeping } from './keeping.js';
import type { Reading, Started } from './reading.js';
import type { Repetitions } from './repetition.js';
import { TurnEnd } from './turn-end.js';
import { tokensOf } from './usage.js';

export type AbsorbingParts = {
  readonly model: Model;
  readonly history: History;
  readonly repetitions: Repetitions;
  readonly keeping: Keeping;
  readonly emit: Emit;
};

/** Resolves to how many calls there were. Throws a `TurnEnd` when one of them ends the turn. */
export async function absorb({ items, started, completed }: Reading, parts: AbsorbingParts): Promise<number> {
  const { history, model, keeping } = parts;
  keeping.append(responseLine(model, completed));
  history.reply({ kind: 'reply', wire: model.wire, items });
  if (completed?.usage) history.counted(tokensOf(completed.usage));
  const results = await Promise.all(started.map(({ result }) => result));
  const noticed = results.map((result, at) => withAdvice(started[at], result, parts));
  if (started.length > 0) keeping.append(answersLine(started, results, noticed));
  history.answer(noticed.map(({ answer }) => answer));
  const end = endedBy(results) ?? noticed.find((each) => each.end)?.end;
  if (end) throw end;
  return started.length;
}

function responseLine({ wire }: Model, completed: Reading['completed']): SessionLine {
  if (completed === undefined) return { type: 'response.read', wire };
  const { stop, endTurn, usage } = completed;
  return {
    type: 'response.read',
    wire,
    stop,
    ...(endTurn !== undefined && { endTurn }),
    ...(usage && { usage }),
  };
}

/** What was settled need not be repeated; only what became another answer. */
function answersLine(
  started: readonly Started[],
  results: readonly CallResult[],
  noticed: readonly Noticed[],
): SessionLine {
  const answers = started.map(({ own }, at) => {
    const answer = noticed[at]?.answer;
    return answer === undefined || answer === results[at]?.answer ? { of: own } : { answer };
  });
  return { type: 'answers.given', answers };
}

type Noticed = { readonly answer: Answer; readonly end?: TurnEnd };

/** A call that fails again and again is answered with a hint, and in the end ends the turn. */
function withAdvice(started: Started | undefined, { outcome, answer }: CallResult, parts: AbsorbingParts): Noticed {
  if (started === undefined || outcome.kind === 'aborted') return { answer };
  const { call, own } = started;
  const { times, advice, hopeless } = parts.repetitions.after(call, answer.success);
  if (advice === undefined) return { answer };
  parts.emit({ type: 'repetition.noticed', callId: own, name: call.name, times });
  const advised = { ...answer, content: [...answer.content, { kind: 'text', text: advice } as const] };
  return hopeless ? { answer: advised, end: goingInCircles(call.name, times) } : { answer: advised };
}

function goingInCircles(name: string, times: number): TurnEnd {
  const message = `the turn was stopped because the model called ${name} ${times} times in the same way, and it failed each time`;
  return new TurnEnd('stopped', { kind: 'repetition', message });
}

/** What ends the turn, if one of its calls does. */
export function endedBy(results: readonly CallResult[]): TurnEnd | undefined {
  for (const { outcome } of results) {
    if (outcome.kind === 'fatal') return new TurnEnd('failed', { kind: 'fatal', message: outcome.message });
    if (outcome.kind === 'aborted' && outcome.by !== 'signal') return new TurnEnd('interrupted');
  }
  return undefined;
}
