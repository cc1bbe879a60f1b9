import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { Aborted } from '../../src/index.js';
import { createGate } from '../../src/pipeline/gate.js';
import type { Gate } from '../../src/pipeline/gate.js';
import { propertyRuns } from '../support/property-runs.js';

type Concurrency = 'shared' | 'exclusive';

/** Calls that note when they were let in; `leave(name)` ends one. */
function visitors(gate: Gate) {
  const inside = new Map<string, () => void>();
  const entered: string[] = [];
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  return {
    entered,
    inside: () => [...inside.keys()],
    async come(name: string, concurrency: Concurrency, signal = new AbortController().signal) {
      const visit = gate.pass({ concurrency, signal }, () => {
        entered.push(name);
        return new Promise<void>((resolve) => inside.set(name, resolve));
      });
      await settled();
      return { visit };
    },
    async leave(name: string) {
      inside.get(name)?.();
      inside.delete(name);
      await settled();
    },
    settled,
  };
}

describe('gate', () => {
  test('shared calls overlap', async () => {
    const calls = visitors(createGate());
    await calls.come('a', 'shared');
    await calls.come('b', 'shared');
    expect(calls.inside()).toEqual(['a', 'b']);
  });

  test('an exclusive call waits for shared ones and holds back those that came after it', async () => {
    const calls = visitors(createGate());
    await calls.come('read 1', 'shared');
    await calls.come('write', 'exclusive');
    await calls.come('read 2', 'shared');
    expect(calls.inside()).toEqual(['read 1']);
    await calls.leave('read 1');
    expect(calls.inside()).toEqual(['write']);
    await calls.leave('write');
    expect(calls.inside()).toEqual(['read 2']);
  });

  test('a cancelled call leaves the queue and lets the next one in', async () => {
    const calls = visitors(createGate());
    const controller = new AbortController();
    await calls.come('read 1', 'shared');
    const { visit } = await calls.come('write', 'exclusive', controller.signal);
    await calls.come('read 2', 'shared');
    controller.abort();
    await expect(visit).rejects.toBeInstanceOf(Aborted);
    await calls.settled();
    expect(calls.inside()).toEqual(['read 1', 'read 2']);
  });

  test('a call cancelled before it came does not enter', async () => {
    const { visit } = await visitors(createGate()).come('late', 'shared', AbortSignal.abort());
    await expect(visit).rejects.toBeInstanceOf(Aborted);
  });

  test('a call that fails lets the next one in', async () => {
    const gate = createGate();
    const { signal } = new AbortController();
    const failing = gate.pass({ concurrency: 'exclusive', signal }, () => Promise.reject(new Error('broken')));
    const next = gate.pass({ concurrency: 'exclusive', signal }, async () => 'next');
    await expect(failing).rejects.toThrow('broken');
    expect(await next).toBe('next');
  });

  test('whatever comes, all enter in the order they came and no exclusive call is ever in company', async () => {
    const kinds = fc.array(fc.constantFrom<Concurrency>('shared', 'exclusive'), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(kinds, fc.infiniteStream(fc.nat()), async (concurrencies, choices) => {
        const calls = visitors(createGate());
        for (const [index, concurrency] of concurrencies.entries())
          await calls.come(`${index} ${concurrency}`, concurrency);
        while (calls.inside().length > 0) {
          const inside = calls.inside();
          if (inside.some((name) => name.endsWith('exclusive'))) expect(inside).toHaveLength(1);
          await calls.leave(inside[(choices.next().value ?? 0) % inside.length] ?? '');
        }
        expect(calls.entered).toEqual(concurrencies.map((concurrency, index) => `${index} ${concurrency}`));
      }),
      propertyRuns(300),
    );
  });
});
