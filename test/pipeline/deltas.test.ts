import fc from 'fast-check';
import { expect, test } from 'vitest';

import { DELTA_BATCH_BYTES, DELTA_INTERVAL_MS, createDeltas } from '../../src/pipeline/deltas.js';
import type { Delta } from '../../src/pipeline/deltas.js';
import { propertyRuns } from '../support/property-runs.js';
import { latch } from '../support/runtime.js';

/** Deltas whose time passes when a test says so. */
function watched() {
  const told: Delta[] = [];
  let due: (() => void) | undefined;
  const deltas = createDeltas({
    onDelta: (delta) => void told.push(delta),
    schedule(ms, run) {
      expect({ ms, due }).toEqual({ ms: DELTA_INTERVAL_MS, due: undefined });
      due = run;
      return () => (due = undefined);
    },
  });
  return {
    told,
    stdout: (text: string) => deltas.write(Buffer.from(text), 'stdout'),
    stderr: (text: string) => deltas.write(Buffer.from(text), 'stderr'),
    flush: () => deltas.flush(),
    isWaiting: () => due !== undefined,
    letTimePass: () => {
      const run = due;
      due = undefined;
      run?.();
    },
  };
}

test('the first output is told at once, what follows when its time has come', () => {
  const { told, stdout, letTimePass } = watched();
  stdout('a');
  stdout('b');
  stdout('c');
  expect(told).toEqual([{ stream: 'stdout', text: 'a' }]);
  letTimePass();
  expect(told).toEqual([
    { stream: 'stdout', text: 'a' },
    { stream: 'stdout', text: 'bc' },
  ]);
});

test('after a pause output is told at once again', () => {
  const { told, stdout, letTimePass, isWaiting } = watched();
  stdout('a');
  letTimePass();
  expect(isWaiting()).toBe(false);
  stdout('b');
  expect(told.map((delta) => delta.text)).toEqual(['a', 'b']);
});

test('nothing is told of an empty chunk', () => {
  const { told, stdout, isWaiting } = watched();
  stdout('');
  expect({ told, waiting: isWaiting() }).toEqual({ told: [], waiting: false });
});

test('a batch joins what one stream printed in a row and keeps the order of both', () => {
  const { told, stdout, stderr, letTimePass } = watched();
  stderr('first');
  stdout('a');
  stdout('b');
  stderr('\x1b[31mred\x1b[0m');
  stdout('c');
  letTimePass();
  expect(told.slice(1)).toEqual([
    { stream: 'stdout', text: 'ab' },
    { stream: 'stderr', text: '\x1b[31mred\x1b[0m' },
    { stream: 'stdout', text: 'c' },
  ]);
});

test('what a batch has no room for is counted behind its last text, and the next batch has room again', () => {
  const { told, stdout, stderr, letTimePass } = watched();
  const full = 'x'.repeat(DELTA_BATCH_BYTES);
  stdout(`${full}y`);
  stderr('z');
  stdout(full);
  stderr('é');
  letTimePass();
  stdout('w');
  letTimePass();
  expect(told).toEqual([
    { stream: 'stdout', text: full, omitted: 1 },
    { stream: 'stderr', text: 'z' },
    { stream: 'stdout', text: full.slice(1), omitted: 3 },
    { stream: 'stdout', text: 'w' },
  ]);
});

test('a character that does not fit is left out whole, and nothing is told behind it', () => {
  const { told, stdout, letTimePass } = watched();
  const almost = 'x'.repeat(DELTA_BATCH_BYTES - 2);
  stdout('first');
  stdout(`${almost}😀`);
  stdout('y');
  letTimePass();
  expect(told[1]).toEqual({ stream: 'stdout', text: almost, omitted: 5 });
});

test('a flush tells what is pending and leaves no timer behind', () => {
  const { told, stdout, flush, isWaiting } = watched();
  stdout('a');
  stdout('b');
  flush();
  flush();
  expect({ texts: told.map((delta) => delta.text), waiting: isWaiting() }).toEqual({
    texts: ['a', 'b'],
    waiting: false,
  });
});

test('a real timer tells the rest, and keeps no program alive', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
  const second = latch<Delta>();
  const before = timers();
  const deltas = createDeltas({ onDelta: (delta) => delta.text === 'b' && second.open(delta) });
  deltas.write(Buffer.from('a'), 'stdout');
  deltas.write(Buffer.from('b'), 'stdout');
  expect(timers()).toBe(before);
  expect(await second.opened).toEqual({ stream: 'stdout', text: 'b' });
});

test('every byte is told or counted, in order, and no batch is too large', () => {
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.tuple(fc.constantFrom('stdout', 'stderr'), fc.constantFrom('x', 'é', '😀'), fc.nat(30_000)),
    },
    fc.constant('time passes'),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const { told, stdout, stderr, letTimePass, flush } = watched();
      let written = '';
      for (const each of steps) {
        if (typeof each === 'string') {
          letTimePass();
          continue;
        }
        const [stream, character, count] = each;
        const text = character.repeat(count);
        written += text;
        (stream === 'stdout' ? stdout : stderr)(text);
      }
      flush();
      const all = Buffer.from(written);
      let at = 0;
      for (const { text, omitted = 0 } of told) {
        const bytes = Buffer.from(text);
        expect(bytes.equals(all.subarray(at, at + bytes.length))).toBe(true);
        expect(bytes.length).toBeLessThanOrEqual(DELTA_BATCH_BYTES);
        at += bytes.length + omitted;
      }
      expect(at).toBe(all.length);
    }),
    propertyRuns(100),
  );
});
