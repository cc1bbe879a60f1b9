/** Keeps count of what a turn uses, and says when it has used enough. */
import { NO_USAGE } from '../core/model.js';
import type { Usage } from '../core/model.js';
import type { Price, TurnError, TurnLimits } from '../core/turn.js';
import { TurnEnd } from './turn-end.js';
import { addUsage, costOf, tokensOf } from './usage.js';

export interface Meter {
  readonly usage: Usage;
  readonly requests: number;
  readonly costUsd: number | undefined;
  /** Before each request. Throws a `TurnEnd` when the model may not be asked again. */
  ask(): void;
  used(usage: Usage): void;
  /** For a response of which the server does not say what it used: it counts for the limits, and is told to nobody. */
  guess(inputTokens: number, outputTokens: number): void;
}

export function createMeter(limits: TurnLimits, price: Price | undefined): Meter {
  let usage = NO_USAGE;
  let guessed = NO_USAGE;
  let requests = 0;

  return {
    get usage() {
      return usage;
    },
    get requests() {
      return requests;
    },
    get costUsd() {
      return price && costOf(usage, price);
    },
    ask() {
      const limit = reached(limits, { requests, usage: addUsage(usage, guessed), price });
      if (limit) throw new TurnEnd('stopped', limit);
      requests += 1;
    },
    used(more) {
      usage = addUsage(usage, more);
    },
    guess(inputTokens, outputTokens) {
      guessed = addUsage(guessed, { ...NO_USAGE, inputTokens, outputTokens });
    },
  };
}

type Spent = { readonly requests: number; readonly usage: Usage; readonly price: Price | undefined };

function reached(limits: TurnLimits, { requests, usage, price }: Spent): TurnError | undefined {
  const tokens = tokensOf(usage);
  const costUsd = price === undefined ? 0 : costOf(usage, price);
  if (requests >= (limits.requests ?? Infinity)) {
    return limitError(`after ${requests} request${requests === 1 ? '' : 's'} to the model`, 'requests');
  }
  if (tokens >= (limits.tokens ?? Infinity)) return limitError(`after ${tokens} tokens`, 'tokens');
  if (costUsd >= (limits.costUsd ?? Infinity))
    return limitError(`after it had cost ${costUsd.toFixed(4)} US dollars`, 'cost_usd');
  return undefined;
}

export function limitError(when: string, key: string): TurnError {
  return { kind: 'limit', message: `the turn was stopped ${when}, as limits.${key} says` };
}
