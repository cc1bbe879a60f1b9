/**
 * How many commands a runtime may run. The judge knows, so that nobody is asked about one too many; what counts is what is
 * really begun, and that is counted before it is, so that calls that run at the same time cannot pass together.
 */
import type { Effect, Intent, Judge, Verdict } from '../core/effects.js';
import { Rejected } from '../core/errors.js';

export interface CommandLimit {
  /** The same judge, who also knows how many are left. */
  judging(judge: Judge): Judge;
  /** To be called once for each call that is about to run; throws `Rejected` when it would be one too many. */
  begin(intent: Intent): void;
}

export const NO_COMMAND_LIMIT: CommandLimit = { judging: (judge) => judge, begin: () => {} };

export function createCommandLimit(most: number): CommandLimit {
  let begun = 0;
  return {
    judging: (judge) => async (intent, missing) => {
      // A second attempt is part of a call that has been counted.
      const isFirst = missing.length === 0;
      return isFirst && begun >= most && runsCommands(intent) ? tooMany(most) : judge(intent, missing);
    },
    begin(intent) {
      if (!runsCommands(intent)) return;
      if (begun >= most) throw new Rejected('policy', reasonFor(most));
      begun += 1;
    },
  };
}

function runsCommands({ effects }: Intent): boolean {
  return effects.some(isCommand);
}

/** A line that is typed into a shell is a command like any other; keys that end no line can still stop a program. */
function isCommand(effect: Effect): boolean {
  return effect.kind === 'exec' || (effect.kind === 'type' && /[\r\n]/.test(effect.text));
}

function tooMany(most: number): Verdict {
  return { kind: 'deny', reason: reasonFor(most), rule: { name: 'max-shell-commands' } };
}

function reasonFor(most: number): string {
  const so = most === 1 ? '1 command' : `${most} commands`;
  return `the settings allow ${so} in a session, and as many have been run. Go on without commands: files can still be read and changed with the other tools.`;
}
