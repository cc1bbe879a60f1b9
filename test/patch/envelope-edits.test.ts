import fc from 'fast-check';
import { expect, test } from 'vitest';

import { propertyRuns } from '../support/property-runs.js';
import { anyLines, anySteps, asRead, edited, fileOf, runsOf, wholeHunk } from './any-edit.js';
import type { Line, Run } from './any-edit.js';
import { patched, planFor, updateOf } from './planned.js';

type AnyFile = { readonly lines: readonly Line[]; readonly mark: boolean; readonly finalNewline: boolean };

const anyFile = fc
  .record<AnyFile>({ lines: anyLines, mark: fc.boolean(), finalNewline: fc.boolean() })
  .filter(isReadBack);

test('any edit with all lines of the file around it comes out exactly', async () => {
  await fc.assert(
    fc.asyncProperty(anyFile, anySteps, async ({ lines, mark, finalNewline }, steps) => {
      const hunk = wholeHunk(lines, steps);
      fc.pre(hunk.length > 0);
      const before = fileOf(lines, mark, finalNewline);
      const after = fileOf(edited(asRead(lines, finalNewline), steps), mark, finalNewline || lines.length === 0);
      expect(await patched(before, updateOf(['@@', ...hunk]))).toBe(after.toString('latin1'));
    }),
    propertyRuns(400),
  );
});

test('any edit in hunks that are unique comes out exactly, whatever the order of the hunks', async () => {
  await fc.assert(
    fc.asyncProperty(anyFile, anySteps, fc.boolean(), async ({ lines, mark, finalNewline }, steps, reversed) => {
      const runs = runsOf(lines.length, steps);
      const hunks = runs.map((run) => uniqueHunk(lines, run, runs));
      fc.pre(runs.length > 0 && hunks.every((hunk) => hunk !== undefined));
      const before = fileOf(lines, mark, finalNewline);
      const ordered = reversed ? hunks.toReversed() : hunks;
      const patch = updateOf(ordered.map((hunk) => ['@@', hunk?.join('\n') ?? ''].join('\n')));
      expect(await patched(before, patch)).toBe(
        fileOf(edited(asRead(lines, finalNewline), steps), mark, finalNewline).toString('latin1'),
      );
      expect((await planFor(before, patch)).notes.filter((note) => note.includes('matched'))).toEqual([]);
    }),
    propertyRuns(400),
  );
});

/** A last line that is empty and has no newline is none, and a file without text has no mark. */
function isReadBack({ lines, mark, finalNewline }: AnyFile): boolean {
  return lines.length === 0 ? !mark : finalNewline || lines.at(-1)?.text !== '';
}

/** The change with lines around it until they occur once; undefined when they would reach into another change. */
function uniqueHunk(lines: readonly Line[], run: Run, runs: readonly Run[]): readonly string[] | undefined {
  const texts = lines.map((line) => line.text);
  for (let around = 1; around <= lines.length; around += 1) {
    const [start, end] = [Math.max(0, run.start - around), Math.min(lines.length, run.end + around)];
    if (runs.some((other) => other !== run && other.start <= end && other.end >= start)) return undefined;
    const old = texts.slice(start, end);
    if (occurrences(texts, old) !== 1) continue;
    return [
      ...texts.slice(start, run.start).map((each) => ` ${each}`),
      ...texts.slice(run.start, run.end).map((each) => `-${each}`),
      ...run.add.map((each) => `+${each}`),
      ...texts.slice(run.end, end).map((each) => ` ${each}`),
    ];
  }
  return undefined;
}

function occurrences(texts: readonly string[], wanted: readonly string[]): number {
  return texts.filter((_, at) => wanted.length > 0 && wanted.every((each, index) => texts[at + index] === each)).length;
}
