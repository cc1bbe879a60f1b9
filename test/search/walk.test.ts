import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { absolutePath } from '../../src/core/paths.js';
import { createCompanions } from '../../src/exec/companions.js';
import { localFiles } from '../../src/exec/local-files.js';
import { surroundingsOf } from '../../src/search/ignore-rules.js';
import { ripgrepArguments } from '../../src/search/ripgrep-arguments.js';
import { walk } from '../../src/search/walk.js';
import { propertyRuns } from '../support/property-runs.js';
import { tempFolder } from '../support/temp-folder.js';
import { anyTree, writeTree } from './trees.js';

const ANYTHING = {
  pattern: '',
  output: 'files',
  caseSensitive: true,
  literal: false,
  multiline: false,
  context: 0,
} as const;

async function walked(root: string, workspace: string): Promise<readonly string[]> {
  const files = localFiles;
  const surroundings = await surroundingsOf(absolutePath(root), absolutePath(workspace), files);
  const found: string[] = [];
  const { signal } = new AbortController();
  await walk(
    {
      files,
      root: absolutePath(root),
      surroundings,
      repositories: false,
      maxDepth: 100,
      maxEntries: 1_000_000,
      signal,
    },
    (met) => {
      if (met.kind === 'file') found.push(met.path);
      return true;
    },
  );
  return found.toSorted();
}

async function listedByRipgrep(root: string, workspace: string): Promise<readonly string[]> {
  const [program = ''] = (await createCompanions()('search')) ?? [];
  const surroundings = await surroundingsOf(absolutePath(root), absolutePath(workspace), localFiles);
  const args = ripgrepArguments(ANYTHING, { target: './', surroundings, names: [], unwanted: [] });
  const printed = spawnSync(program, args, { cwd: root, encoding: 'utf8' }).stdout;
  return printed
    .split('\0')
    .filter((each) => each !== '')
    .map((each) => each.slice(2))
    .toSorted();
}

describe('what is ignored', () => {
  test('is what ripgrep ignores, whatever the ignore files say', async () => {
    const folder = tempFolder();
    await fc.assert(
      fc.asyncProperty(anyTree(), fc.constantFrom('', 'a', 'a/b', 'b'), async (tree, below) => {
        const workspace = mkdtempSync(path.join(folder, 'tree-'));
        writeTree(workspace, { 'keep.y': 'text\n', ...tree });
        const root = path.join(workspace, below);
        mkdirSync(root, { recursive: true });
        writeTree(root, { 'keep.y': 'text\n' });
        expect(await walked(root, workspace)).toEqual(await listedByRipgrep(root, workspace));
        // Many thousands at once would take too long to remove.
        rmSync(workspace, { recursive: true });
      }),
      propertyRuns(50, 20_000),
    );
  });

  test("is told above a repository too, but by files that are not git's", async () => {
    const workspace = tempFolder();
    const inner = { 'inner/.git/info/exclude': '', 'inner/b/a.x': '', 'inner/b/a.y': '', 'inner/b/a.z': '' };
    writeTree(workspace, { '.ignore': '*.x\n', '.gitignore': '*.y\n', ...inner });
    expect(await walked(path.join(workspace, 'inner/b'), workspace)).toEqual(['a.y', 'a.z']);
  });
});
