/** The pure parts of a turn: when to try again, what is a circle, when enough is enough. */
import { describe, expect, test } from 'vitest';

import { createMeter } from '../../src/agent/limits.js';
import { createRepetitions } from '../../src/agent/repetition.js';
import { retryFor } from '../../src/agent/retry.js';
import { tryAgain } from '../../src/agent/try-again.js';
import { costOf } from '../../src/agent/usage.js';
import { callId } from '../../src/core/ids.js';
import { ModelError, NO_USAGE } from '../../src/core/model.js';
import type { FailureKind, Model, Usage } from '../../src/core/model.js';

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

test('a server that never ends a response is given up, whatever else it brings', async () => {
  let tries = 0;
  const made = tryAgain(
    {
      turn: 't',
      signal: new AbortController().signal,
      model: { limits: LIMITS } as Model,
      emit: () => {},
      random: () => 0,
    },
    {
      make: () => Promise.reject(new ModelError('rate-limit', `no ${(tries += 1)}`, { retryAfterMs: 0 })),
      failed: () => Promise.resolve(true),
    },
  );
  await expect(made).rejects.toThrow('no 21 (tried 21 times)');
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
    meter.ask();
    expect([meter.requests, meter.costUsd]).toEqual([1, undefined]);
  });

  test('stops at the number of requests, of tokens, and at the cost', () => {
    const price = { input: 10, output: 100 };
    const meters = [{ requests: 1 }, { tokens: 1000 }, { costUsd: 0.05 }].map((limits) => createMeter(limits, price));
    for (const meter of meters) {
      meter.ask();
      meter.used(used(600, 450));
    }
    const [byRequests, byTokens, byCost] = meters.map((meter) => () => meter.ask());
    expect(byRequests).toThrow('the turn was stopped after 1 request to the model, as limits.requests says');
    expect(byTokens).toThrow('the turn was stopped after 1050 tokens, as limits.tokens says');
    expect(byCost).toThrow('the turn was stopped after it had cost 0.0510 US dollars, as limits.cost_usd says');
  });

  test('goes by a guess where a server does not say what it used, and tells nobody of it', () => {
    const meter = createMeter({ tokens: 1000 }, undefined);
    meter.ask();
    meter.guess(900, 200);
    expect(() => meter.ask()).toThrow('after 1100 tokens');
    expect(meter.usage).toEqual(NO_USAGE);
  });

  test('counts what was cached at its own price', () => {
    const usage = { ...used(1_000_000, 0), cachedInputTokens: 900_000 };
    expect(costOf(usage, { input: 10, cachedInput: 1, output: 0 })).toBeCloseTo(1.9);
    expect(costOf(usage, { input: 10, output: 0 })).toBeCloseTo(10);
  });
});
