/** The pure parts of a turn: when to try again, what is a circle, when enough is enough. */
import { describe, expect, test } from 'vitest';

import { createMeter } from '../../src/agent/limits.js';
import { createRepetitions } from '../../src/agent/repetition.js';
import { retryFor } from '../../src/agent/retry.js';
import { costOf } from '../../src/agent/usage.js';
import { callId } from '../../src/core/ids.js';
import { ModelError, NO_USAGE } from '../../src/core/model.js';
import type { FailureKind, Usage } from '../../src/core/model.js';

const LIMITS = { requestRetries: 4, streamRetries: 5 };

describe('a failed request', () => {
  test.each(['rate-limit', 'server', 'unreachable', 'closed', 'stalled', 'garbled'] satisfies FailureKind[])(
    'is tried again when it was %s, later each time, and not for ever',
    (kind) => {
      const error = new ModelError(kind, 'no');
      const most = ['closed', 'stalled', 'garbled'].includes(kind) ? 5 : 4;
      const delays = Array.from({ length: most }, (_, at) => retryFor(error, at + 1, LIMITS, 0.5)?.delayMs);
      expect(delays).toEqual([200, 400, 800, 1600, 3200].slice(0, most));
      expect(retryFor(error, most + 1, LIMITS, 0.5)).toBeUndefined();
    },
  );

  test.each(['refused', 'quota', 'overflow'] satisfies FailureKind[])('is not tried again when it was %s', (kind) => {
    expect(retryFor(new ModelError(kind, 'no'), 1, LIMITS, 0.5)).toBeUndefined();
  });

  test('waits as long as the server says, unless that is for ever', () => {
    const after = (retryAfterMs: number) =>
      retryFor(new ModelError('rate-limit', 'no', { retryAfterMs }), 1, LIMITS, 1);
    expect([after(0)?.delayMs, after(61_000)?.delayMs, after(86_400_000)]).toEqual([0, 61_000, undefined]);
  });

  test('counts as a stream once something came of it', () => {
    expect(retryFor(new ModelError('server', 'no', { streaming: true }), 5, LIMITS, 0.5)?.most).toBe(5);
  });
});

describe('a call that fails again', () => {
  const call = (name: string) => ({ id: callId('x'), name, payload: { kind: 'function', arguments: '{}' } }) as const;

  test('is noticed the third time, and hopeless the sixth', () => {
    const repetitions = createRepetitions();
    const seen = Array.from({ length: 6 }, () => repetitions.after(call('same'), false));
    expect(seen.map(({ times, advice, hopeless }) => [times, advice !== undefined, hopeless])).toEqual([
      [1, false, false],
      [2, false, false],
      [3, true, false],
      [4, true, false],
      [5, true, false],
      [6, true, true],
    ]);
  });

  test('is none when something new has worked in between', () => {
    const repetitions = createRepetitions();
    const times = ['edit 1', 'edit 2', 'edit 3', 'edit 4'].map((edit) => {
      repetitions.after(call(edit), true);
      return repetitions.after(call('test'), false).times;
    });
    expect(times).toEqual([1, 1, 1, 1]);
  });

  test('is one although the same other thing works in between', () => {
    const repetitions = createRepetitions();
    const times = [1, 2, 3].map(() => {
      repetitions.after(call('look'), true);
      return repetitions.after(call('test'), false).times;
    });
    expect(times).toEqual([1, 2, 3]);
  });
});

describe('a meter', () => {
  const used = (inputTokens: number, outputTokens: number): Usage => ({ ...NO_USAGE, inputTokens, outputTokens });

  test('knows no limit unless there is one', () => {
    const meter = createMeter({}, undefined);
    meter.used(used(1e9, 1e9));
    expect([meter.exhausted(), meter.costUsd]).toEqual([undefined, undefined]);
  });

  test('stops at the number of requests, of tokens, and at the cost', () => {
    const price = { input: 10, output: 100 };
    const meters = [{ requests: 1 }, { tokens: 1000 }, { costUsd: 0.05 }].map((limits) => createMeter(limits, price));
    expect(meters.map((meter) => meter.exhausted())).toEqual([undefined, undefined, undefined]);
    for (const meter of meters) {
      meter.asked();
      meter.used(used(600, 450));
    }
    expect(meters.map((meter) => meter.exhausted()?.message)).toEqual([
      'the turn was stopped after 1 request to the model, as limits.requests says',
      'the turn was stopped after 1050 tokens, as limits.tokens says',
      'the turn was stopped after it had cost 0.0510 US dollars, as limits.cost_usd says',
    ]);
  });

  test('counts what was cached at its own price', () => {
    const usage = { ...used(1_000_000, 0), cachedInputTokens: 900_000 };
    expect(costOf(usage, { input: 10, cachedInput: 1, output: 0 })).toBeCloseTo(1.9);
    expect(costOf(usage, { input: 10, output: 0 })).toBeCloseTo(10);
  });
});
