import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';

import { ConfigError, findProject } from '../../src/index.js';
import { tempFolder } from '../support/temp-folder.js';

/** A tree in a folder of the test's own; a name with a slash at its end is a folder. */
function tree(...names: readonly string[]): string {
  const folder = realpathSync(tempFolder());
  for (const name of names) {
    const file = path.join(folder, name);
    mkdirSync(name.endsWith('/') ? file : path.dirname(file), { recursive: true });
    if (!name.endsWith('/')) writeFileSync(file, '');
  }
  return folder;
}

/** From here to the end of the test, this is the user's folder. */
function liveIn(folder: string): void {
  const before = process.env['HOME'];
  process.env['HOME'] = folder;
  onTestFinished(() => {
    if (before === undefined) delete process.env['HOME'];
    else process.env['HOME'] = before;
  });
}

describe("a project's root", () => {
  test.each<readonly [what: string, names: readonly string[], cwd: string, root: string]>([
    ['is the nearest folder with a repository', ['.git/', 'a/.git/', 'a/b/c/'], 'a/b/c', 'a'],
    ['is the folder of a worktree, whose .git is a file', ['.git/', 'tree/.git', 'tree/b/'], 'tree/b', 'tree'],
    ['is the repository, whatever settings lie nearer', ['.git/', 'a/.tenon/config.toml'], 'a', '.'],
    ['is the nearest folder with settings, where there is no repository', ['.tenon/', 'a/.tenon/', 'a/b/'], 'a/b', 'a'],
    ['is not where .tenon is a mere file', ['a/.tenon', 'a/b/'], 'a/b', 'a/b'],
    ['is the folder itself where there is neither', ['a/b/'], 'a/b', 'a/b'],
  ])('%s', (_, names, cwd, root) => {
    const folder = tree(...names);
    expect(findProject(path.join(folder, cwd)).root).toBe(path.join(folder, root));
  });

  test('is a real path, so that a link is the folder it leads to', () => {
    const folder = tree('real/.git/', 'real/a/', 'other/');
    symlinkSync(path.join(folder, 'real/a'), path.join(folder, 'other/link'));
    expect(findProject(path.join(folder, 'other/link')).root).toBe(path.join(folder, 'real'));
  });

  test.each(['missing', 'file'])('is not looked for where there is no folder (%s)', (name) => {
    const folder = tree('file');
    expect(() => findProject(path.join(folder, name))).toThrow(
      new ConfigError(`${path.join(folder, name)}: there is no such folder`),
    );
  });
});

describe("the user's own folder", () => {
  test('is no project for what lies below it', () => {
    const folder = tree('.git/', '.tenon/config.toml', 'a/b/');
    liveIn(folder);
    expect(findProject(path.join(folder, 'a/b'))).toEqual({ root: path.join(folder, 'a/b'), own: [] });
  });

  test('ends the search', () => {
    const folder = tree('.git/', '.tenon/config.toml', 'user/a/');
    liveIn(path.join(folder, 'user'));
    for (const cwd of ['user', 'user/a'].map((name) => path.join(folder, name)))
      expect(findProject(cwd)).toEqual({ root: cwd, own: [] });
  });

  test("is a project when it is the current one, but its .tenon stays the user's", () => {
    const folder = tree('.git/', '.tenon/config.toml', '.tenon/rules/a.toml');
    liveIn(folder);
    expect(findProject(folder)).toEqual({ root: folder, own: [] });
    expect(findProject(folder, path.join(folder, 'elsewhere'))).toEqual({ root: folder, own: [] });
  });

  test('is recognised through a link', () => {
    const folder = tree('user/.tenon/config.toml', 'project/.git/');
    liveIn(path.join(folder, 'user'));
    symlinkSync(path.join(folder, 'user/.tenon'), path.join(folder, 'project/.tenon'));
    expect(findProject(path.join(folder, 'project')).own).toEqual([]);
  });

  test('may be missing altogether', () => {
    const folder = tree('.git/');
    liveIn('/no/such/home');
    expect(findProject(folder).root).toBe(folder);
  });
});

test('a home of Tenon in another place is no settings of a project either', () => {
  const folder = tree('.tenon/config.toml', 'a/');
  expect(findProject(path.join(folder, 'a'), path.join(folder, '.tenon'))).toEqual({
    root: path.join(folder, 'a'),
    own: [],
  });
});

describe("a project's own settings", () => {
  test('are named, sorted, and nothing else is', () => {
    const folder = tree(
      '.git/',
      '.tenon/mcp.toml',
      '.tenon/hooks/before.sh',
      '.tenon/hooks.toml',
      '.tenon/config.toml',
      '.tenon/rules/npm.toml',
      '.tenon/rules/git.toml',
      '.tenon/rules/README.md',
      '.tenon/notes.md',
      'config.toml',
      'a/.tenon/config.toml',
    );
    expect(findProject(path.join(folder, 'a')).own).toEqual([
      '.tenon/config.toml',
      '.tenon/hooks',
      '.tenon/hooks.toml',
      '.tenon/mcp.toml',
      '.tenon/rules/git.toml',
      '.tenon/rules/npm.toml',
    ]);
  });

  test('are none where .tenon is a file or a link to nowhere', () => {
    const file = tree('.git/', '.tenon');
    const link = tree('.git/');
    symlinkSync('.tenon', path.join(link, '.tenon'));
    expect([file, link].map((folder) => findProject(folder).own)).toEqual([[], []]);
  });

  test('stand under the name of their folder where nobody can look into it', () => {
    const folder = tree('.tenon/');
    symlinkSync('rules', path.join(folder, '.tenon/rules'));
    expect(findProject(folder).own).toEqual(['.tenon/rules']);
  });
});
