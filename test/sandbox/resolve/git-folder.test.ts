import { mkdirSync, symlinkSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { commonFolderOf, gitFolderNamedBy, parseGitFile } from '../../../src/sandbox/resolve/git-folder.js';
import { propertyRuns } from '../../support/property-runs.js';
import { at, file, folder, git, realFolder } from './workspace.js';

describe('a file that names a git folder', () => {
  test('any name without a NUL and without line ends at its end is read as it was written', () => {
    const name = fc.string({ unit: fc.constantFrom(...'ab/. "$\\\n\r😀') }).filter((text) => /[^\r\n]$/.test(text));
    const lineEnds = fc.constantFrom('', '\n', '\r\n', '\n\n');
    fc.assert(
      fc.property(name, lineEnds, (text, end) => {
        expect(parseGitFile(`gitdir: ${text}${end}`)).toBe(text);
      }),
      propertyRuns(500),
    );
  });

  test('any text is understood or not, without an error', () => {
    const text = fc.string({ unit: fc.constantFrom(...'gitdir: \n\r\0x') });
    fc.assert(
      fc.property(text, (content) => {
        const named = parseGitFile(content);
        expect(named === undefined || (content.includes(named) && named !== '')).toBe(true);
      }),
      propertyRuns(500),
    );
  });

  test('a name ends before a NUL, after line ends were taken away', () => {
    expect(parseGitFile('gitdir: one\n\0two\n')).toBe('one\n');
    expect(parseGitFile('gitdir: \0two')).toBe(undefined);
  });

  test('very many line ends are no work', () => {
    expect(parseGitFile(`gitdir: ${'\n'.repeat(1_000_000)}x`)).toHaveLength(1_000_001);
  });

  test('it is read as git reads it', () => {
    const root = realFolder();
    folder(root, 'a b');
    git(root, 'init', '--quiet', '--bare', 'a b/repo\n.git');
    const pointer = file(root, 'sub/.git', 'gitdir: ../a b/repo\n.git\n\r\n');
    expect(git(at(root, 'sub'), 'rev-parse', '--absolute-git-dir')).toBe(`${at(root, 'a b/repo\n.git')}\n`);
    expect(gitFolderNamedBy(pointer, at(root, 'sub'))).toBe(`${root}/sub/../a b/repo\n.git`);
  });

  test('what is no file, too large or not there names nothing', () => {
    const root = realFolder();
    mkdirSync(at(root, 'folder'));
    file(root, 'large', `gitdir: x${'\n'.repeat(1 << 20)}`);
    file(root, 'largest', `gitdir: x${'\n'.repeat((1 << 20) - 9)}`);
    const named = ['folder', 'large', 'gone', 'large/x', 'largest'].map((name) =>
      gitFolderNamedBy(at(root, name), root),
    );
    expect(named).toEqual([undefined, undefined, undefined, undefined, `${root}/x`]);
  });
});

describe('the folder with the common settings', () => {
  test('is named relative to the git folder, or absolute', () => {
    const root = realFolder();
    file(root, 'one/commondir', '../..\n');
    file(root, 'two/commondir', '/else/where\n');
    file(root, 'empty/commondir', '\n');
    symlinkSync('../one/commondir', at(folder(root, 'linked'), 'commondir'));
    const named = ['one', 'two', 'empty', 'none', 'linked'].map((name) => commonFolderOf(at(root, name)));
    expect(named).toEqual([`${root}/one/../..`, '/else/where', undefined, undefined, `${root}/linked/../..`]);
  });
});
