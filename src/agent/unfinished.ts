/** A turn that was cut off when its program was stopped: it is either gone on with, or given up. Nothing in it runs twice. */
import type { OutputSchema } from '../core/model.js';
import type { CallResult } from '../core/outcome.js';
import type { LineOf } from '../core/session-log.js';
import { endedBy } from './absorb.js';
import type { Calls, CallWay } from './calls.js';
import { TURN_ABORTED } from './entries.js';
import type { History } from './history.js';
import { now } from './keeping.js';
import type { Keeping } from './keeping.js';
import { lastAnswer } from './open-calls.js';
import type { OpenCall } from './open-calls.js';
import type { Past } from './past.js';

export interface Unfinished {
  readonly turn: string;
  /** False when it was cut off before the user's words were on record. */
  readonly canGoOn: boolean;
  readonly outputSchema: OutputSchema | undefined;
  /** Answers what is open, without running anything, and ends the turn. */
  giveUp(): void;
  /** Runs what had not started and answers all of it. Throws a `TurnEnd` when a call ends the turn. */
  settle(way: CallWay): Promise<void>;
}

export type UnfinishedParts = { readonly history: History; readonly keeping: Keeping; readonly calls: Calls };

export function unfinishedOf(
  { unfinished }: Past,
  { history, keeping, calls }: UnfinishedParts,
): Unfinished | undefined {
  if (!unfinished) return undefined;
  const { turn, isSaid: canGoOn, outputSchema, brokenOff, calls: open } = unfinished;

  function answer(answers: readonly GivenAnswer[]): void {
    if (brokenOff) keeping.append({ type: 'response.read', wire: brokenOff });
    if (open.length === 0) return;
    keeping.append({ type: 'answers.given', answers: answers.map(({ line }) => line) });
    history.answer(answers.map((given) => given.answer));
  }

  return {
    turn,
    canGoOn,
    outputSchema,
    giveUp() {
      answer(open.map(withoutRunning));
      history.say(TURN_ABORTED, 'turn');
      keeping.append({ type: 'turn.finished', at: now(), turn, status: 'interrupted' });
    },
    async settle(way) {
      const results: CallResult[] = [];
      const answers = await Promise.all(
        open.map(async (each): Promise<GivenAnswer> => {
          if (each.state !== 'never-started') return withoutRunning(each);
          const { own, result } = calls.start(each.call, way, each.own);
          const ended = await result;
          results.push(ended);
          return { answer: ended.answer, line: { of: own } };
        }),
      );
      answer(answers);
      const end = endedBy(results);
      if (end) throw end;
    },
  };
}

type GivenAnswer = {
  readonly answer: CallResult['answer'];
  readonly line: LineOf<'answers.given'>['answers'][number];
};

function withoutRunning(open: OpenCall): GivenAnswer {
  const answer = lastAnswer(open);
  return { answer, line: open.state === 'done' && open.own !== undefined ? { of: open.own } : { answer } };
}
