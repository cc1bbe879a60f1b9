import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import type { FileState } from '../../src/core/files.js';
import { stateDiff } from '../../src/diff/state-diff.js';
import type { StateChange } from '../../src/diff/state-diff.js';
import { propertyRuns } from '../support/property-runs.js';
import { tempFolder } from '../support/temp-folder.js';

const ABSENT: FileState = { kind: 'absent' };

function file(content: string | Uint8Array, mode = 0o644): FileState {
  return { kind: 'file', content: Buffer.from(content), mode };
}

function diff(...changes: readonly (readonly [string, FileState, FileState])[]): string {
  return stateDiff(changes.map(([name, before, after]) => ({ name, before, after }))).text;
}

const LINES = Array.from({ length: 10 }, (_, index) => `line ${index}\n`).join('');

describe('a file that moved', () => {
  test('with the same content is a rename and nothing else', () => {
    expect(diff(['old name', file(LINES), ABSENT], ['new', ABSENT, file(LINES)])).toBe(
      'diff --git a/old name b/new\nsimilarity index 100%\nrename from old name\nrename to new\n',
    );
  });

  test('and changed a little is a rename with what changed', () => {
    const changed = LINES.replace('line 9\n', 'line nine\n');
    expect(diff(['a', file(LINES), ABSENT], ['b', ABSENT, file(changed, 0o755)])).toBe(
      [
        'diff --git a/a b/b',
        'old mode 100644',
        'new mode 100755',
        'similarity index 86%',
        'rename from a',
        'rename to b',
        '--- a/a',
        '+++ b/b',
        '@@ -7,4 +7,4 @@',
        ' line 6',
        ' line 7',
        ' line 8',
        '-line 9',
        '+line nine',
        '',
      ].join('\n'),
    );
  });

  test('and changed a lot, or is empty, went and came', () => {
    expect(diff(['a', file('1\n2\n3\n'), ABSENT], ['b', ABSENT, file('1\nx\ny\n')])).not.toContain('rename');
    expect(diff(['a', file(''), ABSENT], ['b', ABSENT, file('')])).not.toContain('rename');
  });

  test('goes with the one it is most like', () => {
    const text = diff(
      ['a', file(LINES), ABSENT],
      ['b', ABSENT, file(`${LINES}much more of it\nand more\n`)],
      ['c', ABSENT, file(`${LINES}more\n`)],
    );
    expect(text.match(/rename .*/g)).toEqual(['rename from a', 'rename to c']);
  });
});

test('what git does not know stands there as a sentence', () => {
  const folder = (mode?: number): FileState => ({ kind: 'folder', ...(mode !== undefined && { mode }) });
  const text = diff(
    ['empty', ABSENT, folder(0o755)],
    ['full', ABSENT, folder()],
    ['full/f', ABSENT, file('')],
    ['gone', folder(), ABSENT],
    ['mode', folder(0o755), folder(0o700)],
    ['turned', file('x\n'), folder()],
  );
  expect(text).toBe(
    [
      'Added: empty, a folder (mode 755)',
      'diff --git a/full/f b/full/f',
      'new file mode 100644',
      'Deleted: gone, a folder',
      'Changed: mode, from a folder (mode 755) to a folder (mode 700)',
      'Added: turned, a folder',
      'diff --git a/turned b/turned',
      'deleted file mode 100644',
      '--- a/turned',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-x',
      '',
    ].join('\n'),
  );
});

test('what is too large or too much is named, not shown', () => {
  const changes = ['a', 'b', 'c'].map((name) => ({ name, before: ABSENT, after: file(name === 'b' ? LINES : 'x\n') }));
  const { text, leftOut } = stateDiff(changes, { fileBytes: 50, totalCharacters: 100 });
  expect(leftOut).toEqual([
    { path: 'b', reason: 'it is larger than 50 bytes' },
    { path: 'c', reason: 'the diff is long enough without it' },
  ]);
  expect(text).toContain('Not shown: b: it is larger than 50 bytes\n');
});

test('nothing is said where nothing is different', () => {
  expect(diff(['a', file('x'), file('x')], ['b', ABSENT, ABSENT])).toBe('');
});

const name = fc.constantFrom('a', 'b c', 'd/e', 'd/f', 'g"h', 'ü', '-x', 'z');
const body = fc
  .array(fc.constantFrom('one\n', 'two\n', 'three\n', '\r\n', 'ö'), { maxLength: 12 })
  .map((all) => all.join(''));
const state: fc.Arbitrary<FileState> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(body, fc.constantFrom(0o644, 0o755)).map(([text, mode]) => file(text, mode)) },
  fc.constantFrom('a', 'nowhere').map((target): FileState => ({ kind: 'link', target })),
);
const tree = fc.dictionary(name, state, { maxKeys: 7, noNullPrototype: true });

test('git makes the second tree of the first with it, renames and all', () => {
  fc.assert(
    fc.property(tree, tree, (before, after) => {
      const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
      const changes = names.map((each): StateChange => {
        return { name: each, before: before[each] ?? ABSENT, after: after[each] ?? ABSENT };
      });
      const { text } = stateDiff(changes);
      const [first, second] = [planted(before), planted(after)];
      if (text !== '') {
        const env = { ...process.env, GIT_CEILING_DIRECTORIES: path.dirname(first) };
        const { status, stderr } = spawnSync('git', ['apply', '-'], { cwd: first, input: text, env, encoding: 'utf8' });
        expect({ status, stderr, text }).toMatchObject({ status: 0 });
      }
      expect(seen(first)).toEqual(seen(second));
    }),
    propertyRuns(20),
  );
});

function planted(states: Readonly<Record<string, FileState>>): string {
  const folder = tempFolder();
  for (const [each, planting] of Object.entries(states)) {
    const full = path.join(folder, each);
    mkdirSync(path.dirname(full), { recursive: true });
    if (planting.kind === 'link') symlinkSync(planting.target, full);
    if (planting.kind !== 'file') continue;
    writeFileSync(full, planting.content);
    chmodSync(full, planting.mode ?? 0o644);
  }
  return folder;
}

function seen(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  return Object.fromEntries(
    names.flatMap((each) => {
      const full = path.join(folder, each);
      const stats = lstatSync(full);
      if (stats.isDirectory()) return [];
      return [
        [each, stats.isSymbolicLink() ? `->${readlinkSync(full)}` : `${stats.mode} ${readFileSync(full, 'utf8')}`],
      ];
    }),
  );
}
