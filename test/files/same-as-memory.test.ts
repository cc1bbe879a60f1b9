/** The files of this machine and those in memory do the same for any set of changes, and either all of it or nothing. */
import fc from 'fast-check';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

import type { FileChange, Files, FileState } from '../../src/core/files.js';
import { absolutePath } from '../../src/core/paths.js';
import type { AbsolutePath } from '../../src/core/paths.js';
import { createMemoryWorkspace } from '../../src/testing/index.js';
import { propertyRuns } from '../support/property-runs.js';
import { ABSENT, FOLDER, KINDS, file, layGround, link, outcome } from './ground.js';

const NAMES = ['a', 'b', 'a/x', 'a/y', 'a/x/z', 'b/x', 'l'];

const state = fc.constantFrom<FileState>(file('1'), file('2'), FOLDER, ABSENT);
const stateOf = (name: string) => (name === 'l' ? fc.oneof(state, fc.constantFrom(link('b'), link('a/x'))) : state);

/** What is asked for; `before` where something else was seen than what is there. */
const wish = fc
  .constantFrom(...NAMES)
  .chain((name) => fc.record({ name: fc.constant(name), after: stateOf(name), before: fc.option(state, { freq: 5 }) }));
const sets = fc.array(fc.uniqueArray(wish, { selector: ({ name }) => name, minLength: 1, maxLength: 5 }), {
  minLength: 1,
  maxLength: 6,
});

test.each(KINDS.filter(({ kind }) => !kind.includes('by name')))('$kind', async ({ filesIn }) => {
  const { files, top } = layGround(filesIn);
  let folders = 0;
  const property = fc.asyncProperty(sets, async (list) => {
    const root = path.join(top, `${(folders += 1)}`);
    fs.mkdirSync(root);
    const memory = createMemoryWorkspace({ cwd: root }).files;
    for (const wishes of list) {
      const wanted = await Promise.all(wishes.map(async (each) => change(memory, root, each)));
      const changes = wanted.filter(({ before, after }) => before !== ABSENT || after !== ABSENT);
      const before = await allOf(memory, root);
      const [here, there] = [await outcome(files.change(changes)), await outcome(memory.change(changes))];
      const after = await allOf(memory, root);
      expect(await allOf(files, root)).toEqual(after);
      expect(here === 'done').toBe(there === 'done');
      if (changes.length === 1) expect(here).toBe(there);
      if (there !== 'done') expect(after).toEqual(before);
    }
  });
  await fc.assert(property, propertyRuns(60));
});

type Wish = { readonly name: string; readonly after: FileState; readonly before: FileState | null };

async function change(files: Files, root: string, { name, before, after }: Wish): Promise<FileChange> {
  const at = absolutePath(path.join(root, name));
  return { path: at, before: before ?? (await seen(files, at, after)), after };
}

/** As somebody sees it who wants to write this: through a link when it is a file. */
async function seen(files: Files, at: AbsolutePath, after: FileState): Promise<FileState> {
  const entry = await files.look(at);
  if (entry?.kind === 'folder') return FOLDER;
  if (entry?.kind === 'link' && after.kind !== 'file') return link(entry.target ?? '');
  return entry === undefined ? ABSENT : file(await textOf(files, at).catch(() => ''));
}

async function textOf(files: Files, at: AbsolutePath): Promise<string> {
  const open = await files.open(at);
  const bytes = Buffer.alloc(open.size);
  await open.read(bytes, 0);
  await open.close();
  return bytes.toString();
}

async function allOf(files: Files, folder: string): Promise<Readonly<Record<string, string>>> {
  const all: Record<string, string> = {};
  for await (const portion of files.list(absolutePath(folder))) {
    for (const { name, kind } of portion) {
      const at = absolutePath(path.join(folder, name));
      const entry = await files.look(at);
      all[name] = kind === 'file' ? await textOf(files, at) : `${entry?.kind} ${entry?.target ?? ''}`;
      if (kind === 'folder') Object.assign(all, prefixed(name, await allOf(files, at)));
    }
  }
  return all;
}

function prefixed(folder: string, entries: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(entries).map(([name, text]) => [`${folder}/${name}`, text]));
}
