import fc from 'fast-check';
import { writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

import { lineDiff } from '../../src/diff/line-diff.js';
import type { Edit } from '../../src/diff/line-diff.js';
import { propertyRuns } from '../support/property-runs.js';
import { tempFolder } from '../support/temp-folder.js';

const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 40 });

test('the edits turn the first list into the second, in order and with something between them', () => {
  fc.assert(
    fc.property(lines, lines, fc.integer({ min: 0, max: 30 }), (before, after, most) => {
      const edits = lineDiff(before, after, most);
      expect(applied(before, after, edits)).toEqual(after);
      for (const [index, edit] of edits.entries()) {
        expect(edit.end - edit.start + edit.newEnd - edit.newStart).toBeGreaterThan(0);
        expect(edit.start > (edits[index - 1]?.end ?? -1)).toBe(true);
      }
    }),
    propertyRuns(1000),
  );
});

test('no edits are fewer', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const common = longestCommon(before, after);
      expect(editCount(lineDiff(before, after))).toBe(before.length + after.length - 2 * common);
    }),
    propertyRuns(300),
  );
});

test('git never needs fewer', () => {
  const folder = tempFolder();
  const pair = fc.tuple(lines, lines);
  fc.assert(
    fc.property(fc.array(pair, { minLength: 20, maxLength: 20 }), (pairs) => {
      for (const [before, after] of pairs) {
        for (const [name, list] of [
          ['a', before],
          ['b', after],
        ] as const) {
          writeFileSync(`${folder}/${name}`, list.map((line) => `${line}\n`).join(''));
        }
        const args = ['diff', '--no-index', '--minimal', '--numstat', 'a', 'b'];
        const [added = 0, removed = 0] = spawnSync('git', args, { cwd: folder })
          .stdout.toString()
          .split('\t')
          .map(Number);
        expect(editCount(lineDiff(before, after))).toBeLessThanOrEqual(added + removed);
      }
    }),
    propertyRuns(1),
  );
});

test('past the bound the whole middle is one edit', () => {
  const before = ['same', ...Array.from({ length: 5000 }, (_, index) => `old ${index}`), 'end'];
  const after = ['same', ...Array.from({ length: 5000 }, (_, index) => `new ${index}`), 'end'];
  expect(lineDiff(before, after)).toEqual([{ start: 1, end: 5001, newStart: 1, newEnd: 5001 }]);
});

function applied(before: readonly string[], after: readonly string[], edits: readonly Edit[]): readonly string[] {
  const result = [...before];
  for (const { start, end, newStart, newEnd } of edits.toReversed()) {
    result.splice(start, end - start, ...after.slice(newStart, newEnd));
  }
  return result;
}

function editCount(edits: readonly Edit[]): number {
  return edits.reduce((sum, { start, end, newStart, newEnd }) => sum + end - start + newEnd - newStart, 0);
}

function longestCommon(one: readonly string[], other: readonly string[]): number {
  let row = Array.from({ length: other.length + 1 }, () => 0);
  for (const line of one) {
    const next = [0];
    for (const [index, word] of other.entries()) {
      next.push(line === word ? (row[index] ?? 0) + 1 : Math.max(row[index + 1] ?? 0, next[index] ?? 0));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

test('many edits in a long list are found one by one', () => {
  const before = Array.from({ length: 20_000 }, (_, index) => (index % 3 === 0 ? '' : `line ${index}`));
  const after = before.map((line, index) => (index % 20 === 7 ? `changed ${line}` : line));
  const edits = lineDiff(before, after);
  expect(edits).toHaveLength(1000);
  expect(applied(before, after, edits)).toEqual(after);
});

test('lists that are cut into pieces come out right as well, whatever is repeated in them', () => {
  const line = fc.oneof({ weight: 3, arbitrary: fc.nat(2000).map(String) }, fc.constantFrom('', '}'));
  const long = fc.array(line, { minLength: 300, maxLength: 600, size: 'max' });
  const places = fc.array(fc.nat(10_000), { minLength: 150, maxLength: 300, size: 'max' });
  fc.assert(
    fc.property(long, places, fc.integer({ min: 0, max: 1000 }), (before, at, most) => {
      const after = [...before];
      for (const place of at)
        after.splice(place % after.length, place % 3, ...(place % 2 === 0 ? [`new ${place}`] : []));
      const edits = lineDiff(before, after, most);
      expect(applied(before, after, edits)).toEqual(after);
      for (const [index, edit] of edits.entries()) expect(edit.start > (edits[index - 1]?.end ?? -1)).toBe(true);
    }),
    propertyRuns(30),
  );
});
