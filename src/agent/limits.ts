/** Keeps count of what a turn uses, and says when it has used enough. */
import { NO_USAGE } from '../core/model.js';
import type { Usage } from '../core/model.js';
import type { Price, TurnError, TurnLimits } from '../core/turn.js';
import { addUsage, costOf, tokensOf } from './usage.js';

export interface Meter {
  readonly usage: Usage;
  readonly requests: number;
  readonly costUsd: number | undefined;
  asked(): void;
  used(usage: Usage): void;
  /** Why the model may not be asked again. */
  exhausted(): TurnError | undefined;
}

export function createMeter(limits: TurnLimits, price: Price | undefined): Meter {
  let usage = NO_USAGE;
  let requests = 0;
  const cost = (): number | undefined => price && costOf(usage, price);

  return {
    get usage() {
      return usage;
    },
    get requests() {
      return requests;
    },
    get costUsd() {
      return cost();
    },
    asked() {
      requests += 1;
    },
    used(more) {
      usage = addUsage(usage, more);
    },
    exhausted() {
      const costUsd = cost();
      if (limits.requests !== undefined && requests >= limits.requests)
        return limitError(`after ${requests} request${requests === 1 ? '' : 's'} to the model`, 'requests');
      if (limits.tokens !== undefined && tokensOf(usage) >= limits.tokens)
        return limitError(`after ${tokensOf(usage)} tokens`, 'tokens');
      if (limits.costUsd !== undefined && costUsd !== undefined && costUsd >= limits.costUsd)
        return limitError(`after it had cost ${costUsd.toFixed(4)} US dollars`, 'cost_usd');
      return undefined;
    },
  };
}

export function limitError(when: string, key: string): TurnError {
  return { kind: 'limit', message: `the turn was stopped ${when}, as limits.${key} says` };
}
