import { expect, test } from 'vitest';

import { Rejected, ToolFailure } from '../../src/core/errors.js';
import { FileProblem } from '../../src/core/file-problem.js';
import type { PatchSource } from '../../src/patch/file-tree.js';
import { parsePatch } from '../../src/patch/parse-patch.js';
import { PatchError } from '../../src/patch/patch-error.js';
import { planPatch, successText } from '../../src/patch/plan-patch.js';
import type { PatchPlan } from '../../src/patch/plan-patch.js';
import { structuredPatch } from '../../src/patch/structured-patch.js';
import { patchTexts, touchedPaths } from '../../src/patch/touched-paths.js';
import { BASE } from './patched-tree.js';

const A = { content: Buffer.from('a\n'), mode: 0o640 };
const FILE: PatchSource = { kind: 'file', ...A };
const LINK: PatchSource = { kind: 'link', target: 'real', leadsTo: A };

function planned(lines: readonly string[], sources: Readonly<Record<string, PatchSource | Error>>): Promise<PatchPlan> {
  const patch = parsePatch(['*** Begin Patch', ...lines, '*** End Patch'].join('\n'));
  return planPatch(patch, BASE, (path) => {
    const source = sources[path];
    return source instanceof Error ? Promise.reject(source) : Promise.resolve(source);
  });
}

const UPDATE = ['*** Update File: x', '@@', '-a', '+b'];

test('a change tells what was seen and what is to be, with the mode that the file had', async () => {
  expect((await planned(UPDATE, { '/w/x': FILE })).changes).toEqual([
    { path: '/w/x', before: { kind: 'file', ...A }, after: { kind: 'file', content: Buffer.from('b\n'), mode: 0o640 } },
  ]);
});

test('a new file has no mode of its own', async () => {
  expect((await planned(['*** Add File: x', '+b'], {})).changes).toEqual([
    { path: '/w/x', before: { kind: 'absent' }, after: { kind: 'file', content: Buffer.from('b\n') } },
  ]);
});

test('a diff sets the mode of a new file, and of a file that is there only whether it runs', async () => {
  const diff = (path: string, mode: string): string => `diff --git a/${path} b/${path}\nnew mode ${mode}\n`;
  const added = 'diff --git a/n b/n\nnew file mode 100755\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+n\n';
  const sources: Readonly<Record<string, PatchSource>> = { '/w/x': FILE, '/w/y': { ...FILE, mode: 0o750 } };
  const plan = await planPatch(parsePatch(diff('x', '100755') + diff('y', '100644') + added), BASE, (path) =>
    Promise.resolve(sources[path]),
  );
  expect(plan.changes.map(({ after }) => after.kind === 'file' && after.mode)).toEqual([0o750, 0o640, 0o755]);
});

test('an update goes through a link, and a deletion takes the link away', async () => {
  const update = await planned(UPDATE, { '/w/x': LINK });
  expect(update.changes.map(({ before, after }) => [before.kind, after.kind])).toEqual([['file', 'file']]);
  const deletion = await planned(['*** Delete File: x'], { '/w/x': LINK });
  expect(deletion.changes).toEqual([
    { path: '/w/x', before: { kind: 'link', target: 'real' }, after: { kind: 'absent' } },
  ]);
  const both = await planned(['*** Delete File: x', '*** Add File: x', '+n'], { '/w/x': LINK });
  expect(both.changes.map(({ before, after }) => [before.kind, after.kind])).toEqual([['link', 'file']]);
});

test('there is one change for a path, however often and in whatever spelling it is named', async () => {
  const plan = await planned(
    ['*** Add File: d/../x', '+a', '*** Update File: ./x', '@@', '-a', '+b', '*** Update File: /w/x', '@@', '+c'],
    {},
  );
  expect(
    plan.changes.map(({ path, after }) => [path, after.kind === 'file' && Buffer.from(after.content).toString()]),
  ).toEqual([['/w/x', 'b\nc\n']]);
  expect(plan.summary).toEqual([{ letter: 'A', path: 'd/../x' }]);
});

test('what comes out as it was is no change, and is told', async () => {
  const plan = await planned(['*** Update File: x', '@@', '-a', '+a'], { '/w/x': FILE });
  expect(plan.changes).toEqual([]);
  expect(successText(plan)).toBe(
    'Success. Updated the following files:\nM x\nnote: x: the patch leaves it as it was\n',
  );
});

test.each([
  ['folder', UPDATE, 'Failed to read file to update /w/x: Is a directory (os error 21)'],
  ['forbidden', ['*** Delete File: x'], 'Failed to read /w/x: Permission denied (os error 13)'],
  ['missing', UPDATE, 'Failed to read file to update /w/x: No such file or directory (os error 2)'],
  [
    'special',
    ['*** Add File: x', '+a'],
    'Failed to write file /w/x: it is not a regular file (a device, pipe or socket)',
  ],
] as const)('a path that is %s is told in the words that models know', async (kind, lines, message) => {
  await expect(planned(lines, { '/w/x': new FileProblem(kind, '/w/x') })).rejects.toThrow(new PatchError(message));
});

test('what is not about a file stays what it is', async () => {
  const rejected = new Rejected('policy', 'no');
  await expect(planned(UPDATE, { '/w/x': rejected })).rejects.toBe(rejected);
});

test('an error tells its kind and is one that the model has to act on', () => {
  const kinds = ['*** Begin Patch\n*** End Patch', '*** Begin Patch\n*** Environment ID: a\n*** End Patch', ''].map(
    (text) => {
      try {
        return parsePatch(text);
      } catch (error) {
        return error instanceof ToolFailure && error instanceof PatchError ? error.kind : error;
      }
    },
  );
  expect(kinds).toEqual(['empty', 'environment', 'verification']);
});

test('all paths that would change are known beforehand, each with its part of the text', () => {
  const move = '*** Update File: x\n*** Move to: y\n@@\n-a\n+b';
  const text = `*** Begin Patch\n${move}\n*** Delete File: z\n*** Update File: y\n@@\n+c\n*** End Patch`;
  const patch = parsePatch(text);
  expect(touchedPaths(patch)).toEqual(['x', 'y', 'z']);
  expect(patchTexts(patch)).toEqual([
    { path: 'x', text: move },
    { path: 'y', text: `${move}\n*** Update File: y\n@@\n+c` },
    { path: 'z', text: '*** Delete File: z' },
  ]);
  const copy = parsePatch('diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n');
  expect(touchedPaths(copy)).toEqual(['y']);
  expect(patchTexts(structuredPatch({ file_path: 'x', original_content: 'a\nb\n', updated_content: 'c' }))).toEqual([
    { path: 'x', text: '*** Update File: x\n-a\n-b\n+c' },
  ]);
});
