import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

import { FileProblem } from '../../src/core/file-problem.js';
import type { FileChange, FileState } from '../../src/core/files.js';
import { localFiles } from '../../src/exec/local-files.js';
import { readEntry, readHeader } from '../../src/undo/entry-file.js';
import { parseHeader } from '../../src/undo/parse-header.js';
import { propertyRuns } from '../support/property-runs.js';
import { tempFolder } from '../support/temp-folder.js';
import { grounds, owner, treeAt } from './grounds.js';
import type { Grounds, Tree } from './grounds.js';

const name = fc.constantFrom('a', 'b', 'd/a', 'd/b', 'd/e/a', 'with space', 'ü', 'd');
const text = fc.string({ unit: fc.constantFrom('x', 'y\n', '\n', 'long line\n', '\r\n', 'ö'), maxLength: 12 });

type Act =
  | { readonly kind: 'write'; readonly name: string; readonly text: string }
  | { readonly kind: 'remove'; readonly name: string }
  | { readonly kind: 'folder'; readonly name: string }
  | { readonly kind: 'link'; readonly name: string; readonly target: string }
  | { readonly kind: 'mode'; readonly name: string; readonly mode: number };

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('write' as const), name, text }) },
  fc.record({ kind: fc.constant('remove' as const), name }),
  fc.record({ kind: fc.constant('folder' as const), name }),
  fc.record({ kind: fc.constant('link' as const), name, target: fc.constantFrom('a', 'nowhere', 'd') }),
  fc.record({ kind: fc.constant('mode' as const), name, mode: fc.constantFrom(0o644, 0o755) }),
);

/** Calls: each a set of acts, by a command or through recorded files. */
const call = fc.record({ acts: fc.array(act, { minLength: 1, maxLength: 4 }), isCommand: fc.boolean() });
const calls = fc.array(call, { minLength: 1, maxLength: 6 });
const start = fc.dictionary(fc.constantFrom('a', 'b', 'd/a', 'd/b', 'ü'), text, { noNullPrototype: true });

test('whatever calls do, undoing them one by one leads back, step by step, and redoing leads forth again', async () => {
  await fc.assert(
    fc.asyncProperty(start, calls, async (before, all) => {
      const place = grounds(before);
      const trees = [place.tree()];
      for (const [index, each] of all.entries()) {
        const count = (await place.log.list()).length;
        await perform(place, `${index}`, each);
        if ((await place.log.list()).length > count) trees.push(place.tree());
      }
      for (const tree of trees.slice(0, -1).toReversed()) {
        expect(await place.log.undo()).toMatchObject({ kind: 'undone' });
        expect(place.tree()).toEqual(tree);
      }
      for (const tree of trees.slice(1)) {
        expect(await place.log.redo()).toMatchObject({ kind: 'undone' });
        expect(place.tree()).toEqual(tree);
      }
    }),
    propertyRuns(10),
  );
});

test('a turn is undone as a whole, and its diff makes the last tree of the first with git', async () => {
  await fc.assert(
    fc.asyncProperty(start, calls, async (before, all) => {
      const place = grounds(before);
      const copy = path.join(tempFolder(), 'copy');
      cpSync(place.cwd, copy, { recursive: true, verbatimSymlinks: true });
      const first = place.tree();
      for (const [index, each] of all.entries()) await perform(place, `${index}`, each);
      const last = place.tree();
      const { text: diff } = await place.log.diff({ turn: 't' });
      expect(withoutFolders(applied(diff, copy))).toEqual(withoutFolders(last));
      if ((await place.log.list()).length > 0) {
        expect(await place.log.undo({ turn: 't' })).toMatchObject({ kind: 'undone' });
      }
      expect(place.tree()).toEqual(first);
    }),
    propertyRuns(6),
  );
});

test('a line that is no header is none, whatever it is', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.jsonValue().map((value) => JSON.stringify({ v: 1, ...spread(value) })),
      ),
      (line) => {
        expect(parseHeader(line)).toBeUndefined();
      },
    ),
    propertyRuns(200, 50_000),
  );
});

test('an entry that was cut off or damaged is none, or one whose contents are all there', async () => {
  const place = grounds({ a: 'some content', b: 'more' });
  await place.change('1', { a: ['some content', 'new'], b: ['more', undefined] });
  const whole = readFileSync(path.join(place.changes, place.entries()[0] ?? ''));
  const file = path.join(tempFolder(), 'entry');
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length), fc.nat(whole.length - 1), fc.nat(255), async (length, index, byte) => {
      const bytes = Buffer.from(whole);
      bytes[index] = byte;
      writeFileSync(file, bytes.subarray(0, length));
      const entry = await readEntry(file);
      expect((await readHeader(file))?.id).toBe(entry?.header.id);
      for (const { before } of entry?.header.files ?? []) {
        if (before.kind === 'file' && before.offset !== undefined)
          expect(entry?.contentOf(before)).toHaveLength(before.size);
      }
    }),
    propertyRuns(100),
  );
});

type Call = { readonly acts: readonly Act[]; readonly isCommand: boolean };

async function perform(place: Grounds, id: string, { acts, isCommand }: Call): Promise<void> {
  if (isCommand) return place.command(id, () => acts.forEach((each) => attempt(place.cwd, each)));
  const byName = new Map(acts.map((each) => [each.name, each]));
  const changes = [...byName.values()].map((each) => changeOf(place, each));
  await place.log
    .recording(owner(id), localFiles)
    .change(changes)
    .catch((error: unknown) => {
      // What cannot be done, such as a file below a file, is refused.
      if (!(error instanceof FileProblem)) throw error;
    });
}

function attempt(cwd: string, each: Act): void {
  const file = path.join(cwd, each.name);
  try {
    if (each.kind === 'remove') return rmSync(file, { recursive: true });
    mkdirSync(path.dirname(file), { recursive: true });
    if (each.kind === 'folder') mkdirSync(file);
    else if (each.kind === 'link') symlinkSync(each.target, file);
    else if (each.kind === 'mode') chmodSync(file, each.mode);
    else writeFileSync(file, each.text);
  } catch {
    // A command that fails has done what it has done.
  }
}

function changeOf({ at }: Grounds, each: Act): FileChange {
  const before = stateAt(at(each.name));
  return { path: at(each.name), before, after: afterwards(each, before) };
}

function afterwards(each: Act, before: FileState): FileState {
  if (each.kind === 'remove') return { kind: 'absent' };
  if (each.kind === 'folder') return { kind: 'folder' };
  if (each.kind === 'link') return { kind: 'link', target: each.target };
  if (each.kind === 'write') return { kind: 'file', content: Buffer.from(each.text) };
  return before.kind === 'file' ? { ...before, mode: each.mode } : before;
}

function stateAt(file: string): FileState {
  try {
    const stats = lstatSync(file);
    if (stats.isSymbolicLink()) return { kind: 'link', target: readlinkSync(file) };
    return stats.isDirectory() ? { kind: 'folder' } : { kind: 'file', content: readFileSync(file) };
  } catch {
    return { kind: 'absent' };
  }
}

/** As git makes it. */
function applied(diff: string, folder: string): Tree {
  const { status, stderr } = diff === '' ? { status: 0, stderr: '' } : gitApply(diff, folder);
  expect({ status, stderr, diff }).toMatchObject({ status: 0 });
  return treeAt(folder);
}

function gitApply(diff: string, folder: string): { readonly status: number | null; readonly stderr: string } {
  // Only sentences, of folders and the like.
  if (!diff.includes('diff --git')) return { status: 0, stderr: '' };
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: path.dirname(folder) };
  return spawnSync('git', ['apply', '-'], { cwd: folder, input: diff, env, encoding: 'utf8' });
}

/** Git knows none. */
function withoutFolders(tree: Tree): Tree {
  return Object.fromEntries(Object.entries(tree).filter(([, side]) => !side.startsWith('/')));
}

function spread(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
