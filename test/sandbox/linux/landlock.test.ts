import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { absolutePath, isInside } from '../../../src/core/paths.js';
import type { AbsolutePath } from '../../../src/core/paths.js';
import {
  fileRights,
  READ_RIGHTS,
  readableSurface,
  rightsFor,
  RIGHTS,
  rulesetAttribute,
  writeRights,
} from '../../../src/sandbox/linux/landlock.js';
import type { FolderEntry } from '../../../src/sandbox/linux/landlock.js';
import { propertyRuns } from '../../support/property-runs.js';

/** In words of 8 bytes. */
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex').match(/.{16}/g)?.join(' ');

describe('rights', () => {
  test('each version restricts what it knows', () => {
    const shown = [1, 2, 3, 4, 5, 6, 7, 8].map((abi) => {
      const { files, network, scopes } = rightsFor(abi);
      return [files.toString(16), network, scopes, writeRights(abi).toString(16), fileRights(abi).toString(16)];
    });
    expect(shown).toEqual([
      ['1fff', 0n, 0n, '17bf', '7'],
      ['3fff', 0n, 0n, '37bf', '7'],
      ['7fff', 0n, 0n, '77bf', '4007'],
      ['7fff', 3n, 0n, '77bf', '4007'],
      ['ffff', 3n, 0n, 'f7bf', 'c007'],
      ['ffff', 3n, 3n, 'f7bf', 'c007'],
      ['ffff', 3n, 3n, 'f7bf', 'c007'],
      ['ffff', 3n, 3n, 'f7bf', 'c007'],
    ]);
  });

  test('where there is no Landlock there are no rights', () => {
    for (const abi of [0, -1, 1.5, Number.NaN]) expect(() => rightsFor(abi)).toThrow(RangeError);
  });

  test('to read is to start programs, read files and list folders', () => {
    expect(READ_RIGHTS).toBe(RIGHTS.execute | RIGHTS.readFile | RIGHTS.readFolder);
    expect(READ_RIGHTS).toBe(0b1101n);
  });

  test('the structure is as long as the version knows it', () => {
    expect([1, 3, 4, 5, 6, 7].map((abi) => hex(rulesetAttribute(abi)))).toEqual([
      'ff1f000000000000',
      'ff7f000000000000',
      'ff7f000000000000 0000000000000000',
      'ffff000000000000 0000000000000000',
      'ffff000000000000 0000000000000000 0300000000000000',
      'ffff000000000000 0000000000000000 0300000000000000',
    ]);
    expect(hex(rulesetAttribute(7, { refuseTcp: true }))).toBe('ffff000000000000 0300000000000000 0300000000000000');
    expect(hex(rulesetAttribute(3, { refuseTcp: true }))).toBe('ff7f000000000000');
  });
});

/** A file system in memory. */
type Tree = { readonly [name: string]: Tree | 'file' | 'link' };

const TREE: Tree = {
  bin: 'link',
  etc: { passwd: 'file', ssl: { private: { key: 'file' } } },
  home: { me: { '.ssh': { id: 'file' }, '.netrc': 'file', work: { a: 'file' }, docs: 'link' }, you: {} },
  usr: { bin: {} },
};

function entriesIn(tree: Tree, folder: AbsolutePath): readonly FolderEntry[] {
  let at: Tree | string | undefined = tree;
  for (const name of folder.split('/').filter((part) => part !== ''))
    at = typeof at === 'object' ? at[name] : undefined;
  if (typeof at !== 'object') throw new Error(`${folder} is no folder`);
  return Object.entries(at).map(([name, entry]) => ({
    name,
    isFolder: typeof entry === 'object',
    isLink: entry === 'link',
  }));
}

function surface(hidden: readonly string[], tree: Tree = TREE): readonly string[] {
  const places = readableSurface((folder) => entriesIn(tree, folder), hidden.map(absolutePath));
  return places.map(({ path, isFolder }) => (isFolder && path !== '/' ? `${path}/` : path));
}

describe('what may be read', () => {
  test('is everything when nothing is hidden', () => {
    expect(surface([])).toEqual(['/']);
  });

  test('is what lies beside each folder on the way to what is hidden', () => {
    expect(surface(['/home/me/.ssh', '/home/me/.netrc', '/etc/ssl/private'])).toEqual([
      '/etc/passwd',
      '/home/me/work/',
      '/home/you/',
      '/usr/',
    ]);
  });

  test('is nothing below a hidden folder, also when something in it is hidden once more', () => {
    expect(surface(['/home/me/.ssh/id', '/home', '/etc'])).toEqual(['/usr/']);
    expect(surface(['/'])).toEqual([]);
  });

  test('leaves out the place of what does not exist', () => {
    expect(surface(['/home/me/.aws'])).not.toContain('/home/me/');
    expect(surface(['/home/me/.aws'])).toContain('/home/me/.ssh/');
    expect(surface(['/etc/passwd/x'])).not.toContain('/etc/passwd');
  });

  test('does not take a name for the beginning of another', () => {
    expect(surface(['/usr/bi'])).toEqual(['/etc/', '/home/', '/usr/bin/']);
  });

  test('is refused when a hidden path leads through a link', () => {
    expect(() => surface(['/home/me/docs/secret'])).toThrow('/home/me/docs is a link');
    expect(() => surface(['/home/me/docs'])).toThrow('/home/me/docs is a link');
  });

  test('never covers a hidden path, and covers every file that is not hidden', () => {
    const names = fc.constantFrom('a', 'b', 'ab', '..b', 'c');
    const { tree } = fc.letrec<{ tree: Tree; entry: Tree | 'file' }>((tie) => ({
      tree: fc.dictionary(names, tie('entry')),
      entry: fc.oneof({ maxDepth: 4 }, fc.constant('file' as const), tie('tree')),
    }));
    const paths = fc.array(names, { maxLength: 4 }).map((parts) => absolutePath(`/${parts.join('/')}`));
    fc.assert(
      fc.property(tree, fc.array(paths, { maxLength: 4 }), (root, hidden) => {
        const places = readableSurface((folder) => entriesIn(root, folder), hidden);
        const covers = (file: AbsolutePath) => places.some(({ path }) => isInside(path, file));
        expect(hidden.filter(covers)).toEqual([]);
        for (const file of filesIn(root)) {
          const isHidden = hidden.some((each) => isInside(each, file) || isInside(file, each));
          expect([file, covers(file)]).toEqual([file, !isHidden]);
        }
      }),
      propertyRuns(300),
    );
  });
});

function filesIn(tree: Tree, folder = ''): readonly AbsolutePath[] {
  return Object.entries(tree).flatMap(([name, entry]) => {
    const path = `${folder}/${name}`;
    return typeof entry === 'object' ? filesIn(entry, path) : [absolutePath(path)];
  });
}
