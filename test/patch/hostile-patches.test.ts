import fc from 'fast-check';
import { expect, test } from 'vitest';

import { parsePatch } from '../../src/patch/parse-patch.js';
import { PatchError } from '../../src/patch/patch-error.js';
import { planPatch } from '../../src/patch/plan-patch.js';
import { structuredPatch } from '../../src/patch/structured-patch.js';
import { patchTexts, touchedPaths } from '../../src/patch/touched-paths.js';
import { propertyRuns } from '../support/property-runs.js';
import { BASE } from './patched-tree.js';
import { planFor, updateOf } from './planned.js';

const CONTENT = Buffer.from('one\ntwo\r\nthree\n\nfour\none\ntwo');

const PIECES = `*** Begin Patch
*** End Patch
*** Add File: a.txt
*** Add File: new
*** Update File: a.txt
*** Delete File: a.txt
*** Move to: b.txt
*** End of File
*** Environment ID: x
@@
@@ one
@@ -1,2 +1,2 @@
@@ -0,0 +1 @@
@@ -9999999,1 +1 @@
@@@ -1 -1 +1 @@@
 one
-two
+three

diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
--- /dev/null
+++ /dev/null
rename from a.txt
rename to c.txt
new file mode 100755
new mode 100644
GIT binary patch
+++ "
<<'EOF'
EOF`.split('\n');
const ODD_PIECES = [
  '\\ No newline at end of file',
  '```',
  ' ',
  '-- ',
  '--- "a/\\777"',
  '\r',
  '-one\r',
  '\0',
  '\ufeffone',
  '\ud800',
];
const piece = fc.constantFrom(...PIECES, ...ODD_PIECES);
const soup = fc.array(fc.oneof({ weight: 9, arbitrary: piece }, fc.string()), { maxLength: 25 });

test.each([
  ['loose', (lines: readonly string[]) => lines.join('\n')],
  ['in an envelope', (lines: readonly string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')],
  ['in an update', (lines: readonly string[]) => updateOf(['@@', ' one', ...lines])],
  ['below the names of a diff', (lines: readonly string[]) => ['--- a/a.txt', '+++ b/a.txt', ...lines].join('\n')],
])('any lines %s are a plan or a patch error', async (_, made) => {
  await fc.assert(
    fc.asyncProperty(soup, (lines) => isAnswered(made(lines))),
    propertyRuns(500),
  );
});

test('a patch with any change to its text is a plan or a patch error', async () => {
  const valid = fc.constantFrom(
    updateOf(['@@ one', '-two', '+2', ' three', '@@', ' four', '+five', '*** End of File']),
    '*** Begin Patch\n*** Add File: n\n+a\n*** Update File: n\n*** Move to: m\n@@\n-a\n+b\n*** Delete File: a.txt\n*** End Patch',
    'diff --git a/a.txt b/b.txt\nrename from a.txt\nrename to b.txt\n--- a/a.txt\n+++ b/b.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n',
  );
  const change = fc.record({ at: fc.nat(400), drop: fc.nat(20), add: fc.oneof(fc.string(), piece) });
  await fc.assert(
    fc.asyncProperty(valid, fc.array(change, { maxLength: 3 }), async (text, changes) => {
      const changed = changes.reduce((now, { at, drop, add }) => now.slice(0, at) + add + now.slice(at + drop), text);
      await isAnswered(changed);
    }),
    propertyRuns(1000),
  );
});

test('any three fields are a plan or a patch error', async () => {
  const field = fc.oneof(
    fc.string(),
    fc.constantFrom('one', 'one\ntwo', 'three\n', '', '\n', '\r\n', CONTENT.toString()),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('a.txt', '', 'new', '\0'),
      field,
      field,
      async (file_path, original_content, updated_content) => {
        await orPatchError(async () => {
          const patch = structuredPatch({ file_path, original_content, updated_content });
          await planPatch(patch, BASE, () =>
            Promise.resolve(file_path === 'a.txt' ? { kind: 'file', content: CONTENT, mode: 0o644 } : undefined),
          );
        });
      },
    ),
    propertyRuns(500),
  );
});

test.each([
  ['headers that are not there', updateOf([...Array<string>(100_000).fill('@@ x'), '-a'])],
  ['headers that are there', updateOf([...Array<string>(100_000).fill('@@ one'), '-a'])],
  ['added lines', updateOf(Array<string>(100_000).fill('+x'))],
  ['removed lines', updateOf(Array<string>(100_000).fill('-x'))],
  ['files', `*** Begin Patch\n${'*** Delete File: x\n'.repeat(100_000)}*** End Patch`],
  [
    'hunks that build on each other',
    updateOf(Array.from({ length: 5000 }, (_, at) => `@@\n-${at === 0 ? 'three' : `v${at}`}\n+v${at + 1}`)),
  ],
  ['fences', '```\n'.repeat(100_000)],
  ['names of a diff', '--- a\n+++ b\n'.repeat(100_000)],
  ['quotes', `diff --git ${'"a '.repeat(100_000)}"\n`],
  ['spaces', updateOf([`@@ ${' '.repeat(100_000)}@@`, `-${' '.repeat(100_000)}x`])],
])('a hundred thousand %s do not hang', async (_, text) => {
  await isAnswered(text);
});

async function isAnswered(text: string): Promise<void> {
  await orPatchError(async () => {
    const patch = parsePatch(text);
    expect(patchTexts(patch).map(({ path }) => path)).toEqual(touchedPaths(patch));
    await planFor(CONTENT, text);
  });
}

async function orPatchError(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    expect(error.message).not.toBe('');
  }
}
