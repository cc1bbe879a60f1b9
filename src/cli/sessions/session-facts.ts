/** What is said of a session and its calls, whichever form it is shown in. */
import type { SessionSummary } from '../../index.js';
import { contentText } from './content-text.js';
import type { Call } from './story-calls.js';
import { localTime } from './times.js';

export function factsOf(session: SessionSummary): readonly (readonly [name: string, value: string])[] {
  const { id, name, cwd, model, provider, createdAt, usedAt, turns, status, waitsFor, forkedFrom } = session;
  const facts: readonly (readonly [name: string, value: string | undefined])[] = [
    ['session', id],
    ['name', name],
    ['folder', cwd],
    // Nobody is asked before the first turn.
    ['model', model === '' ? undefined : `${model} of ${provider}`],
    ['created', localTime(createdAt)],
    ['last used', localTime(usedAt)],
    ['turns', String(turns)],
    ['status', status],
    ['waits for an answer', waitsFor],
    ['forked from', forkedFrom],
  ];
  return facts.flatMap(([word, value]) => (value === undefined ? [] : [[word, value] as const]));
}

export function endIn({ end }: Call): string {
  if (!end) return 'has not ended';
  const { outcome = 'cut off', by } = end;
  return by === undefined ? outcome : `${outcome} by ${by}`;
}

/** What the model was answered. */
export function answerIn({ end }: Call): string {
  return contentText(end?.answer.content ?? []);
}
