/** Diffs that git itself has made: what git says they mean is what has to come out. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { parsePatch } from '../../src/patch/parse-patch.js';
import { PatchError } from '../../src/patch/patch-error.js';
import { planPatch } from '../../src/patch/plan-patch.js';
import { propertyRuns } from '../support/property-runs.js';
import { tempFolder } from '../support/temp-folder.js';
import { anyLines, anySteps, anyTexts, edited, fileOf } from './any-edit.js';
import type { Line } from './any-edit.js';
import { BASE, entriesAfter, entriesOf, sourceReader } from './patched-tree.js';
import { patched } from './planned.js';

const anyVersions = fc
  .record({
    lines: anyLines,
    other: anyLines,
    steps: anySteps,
    rewritten: fc.boolean(),
    mark: fc.boolean(),
    ends: fc.tuple(fc.boolean(), fc.boolean()),
  })
  .map(({ lines, other, steps, rewritten, mark, ends }) => ({
    old: fileOf(lines, mark, ends[0]),
    fresh: fileOf(rewritten ? other : edited(lines, steps), mark, ends[1]),
  }));

test('the diff of a tree, applied to the old files, makes the new ones', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyVersions, { minLength: 60, maxLength: 60 }),
      fc.integer({ min: 1, max: 4 }),
      async (pairs, context) => {
        const folder = tempTree(pairs);
        const diff = gitDiff(folder, context);
        fc.pre(diff !== '');
        const plan = await planPatch(parsePatch(diff), BASE, sourceReader(path.join(folder, 'a')));
        expect(entriesAfter(entriesOf(path.join(folder, 'a')), plan.changes)).toEqual(
          entriesOf(path.join(folder, 'b')),
        );
        expect(plan.notes).toEqual([]);
      },
    ),
    { ...propertyRuns(3), endOnFailure: true },
  );
});

test('a diff without context needs only its line numbers', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ lines: anyTexts, steps: anySteps }), { minLength: 60, maxLength: 60 }),
      async (cases) => {
        const pairs = cases.map(({ lines, steps }) => {
          const old = lines.map((text): Line => ({ text, ending: '\n' }));
          return { old: fileOf(old, false, true), fresh: fileOf(edited(old, steps), false, true) };
        });
        const folder = tempTree(pairs);
        const plan = await planPatch(parsePatch(gitDiff(folder, 0)), BASE, sourceReader(path.join(folder, 'a')));
        expect(entriesAfter(entriesOf(path.join(folder, 'a')), plan.changes)).toEqual(
          entriesOf(path.join(folder, 'b')),
        );
      },
    ),
    { ...propertyRuns(3), endOnFailure: true },
  );
});

test('where git applies a diff to a file that has moved on, the outcome is the same', async () => {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(anyTexts, anySteps, anyTexts, async (texts, steps, above) => {
      const old = texts.map((text, at): Line => ({ text: `${text} ${at % 7}`, ending: '\n' }));
      const fresh = edited(old, steps);
      const folder = tempTree([{ old: fileOf(old, false, true), fresh: fileOf(fresh, false, true) }]);
      const diff = gitDiff(folder, 3).replaceAll('f0', 'a.txt');
      fc.pre(diff.includes('@@') && !diff.includes('/dev/null') && old.length > 0);
      const moved = fileOf([...above.map((text): Line => ({ text, ending: '\n' })), ...old], false, true);
      const byGit = gitApply(moved, diff);
      const ours = await patched(moved, diff).catch((error: unknown) => {
        if (!(error instanceof PatchError)) throw error;
        return undefined;
      });
      if (byGit === undefined || ours === undefined) return;
      compared += 1;
      expect(ours).toBe(byGit);
    }),
    propertyRuns(25),
  );
  expect(compared).toBeGreaterThan(3);
});

type Versions = { readonly old: Buffer; readonly fresh: Buffer };

function tempTree(pairs: readonly Versions[]): string {
  const folder = tempFolder();
  for (const side of ['a', 'b']) mkdirSync(path.join(folder, side));
  for (const [at, { old, fresh }] of pairs.entries()) {
    writeFileSync(path.join(folder, 'a', `f${at}`), old);
    writeFileSync(path.join(folder, 'b', `f${at}`), fresh);
  }
  return folder;
}

/** The folders give the names the prefixes that git would. */
function gitDiff(cwd: string, context: number): string {
  const args = ['-c', 'core.autocrlf=false', 'diff', '--no-index', '--no-prefix', '--text', `-U${context}`, 'a', 'b'];
  return spawnSync('git', args, { cwd, encoding: 'utf8' }).stdout;
}

function gitApply(content: Buffer, diff: string): string | undefined {
  const folder = tempFolder();
  writeFileSync(path.join(folder, 'a.txt'), content);
  try {
    execFileSync('git', ['apply', '-'], { cwd: folder, input: diff, stdio: 'pipe' });
    return readFileSync(path.join(folder, 'a.txt'), 'latin1');
  } catch {
    return undefined;
  }
}
