import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { createCompanions, findOnPath } from '../../src/exec/companions.js';
import { tempFolder } from '../support/temp-folder.js';

function program(folder: string, mode = 0o755): string {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, 'rg');
  writeFileSync(file, '#!/bin/sh\n');
  chmodSync(file, mode);
  return file;
}

test('the search that comes with us is ripgrep', async () => {
  const [ripgrep = '', ...args] = (await createCompanions()('search')) ?? [];
  expect(args).toEqual([]);
  expect(execFileSync(ripgrep, ['--version'], { encoding: 'utf8' })).toMatch(/^ripgrep \d+/);
});

describe('a program on the search path', () => {
  test('is the first that can be run', () => {
    const folder = tempFolder();
    program(path.join(folder, 'a'), 0o644);
    mkdirSync(path.join(folder, 'b/rg'), { recursive: true });
    const found = program(path.join(folder, 'c'));
    program(path.join(folder, 'd'));
    const search = ['a', 'b', 'missing', 'c', 'd'].map((name) => path.join(folder, name));
    expect(findOnPath('rg', search.join(path.delimiter), [])).toBe(found);
  });

  test('is not one in a relative folder, or where commands write, nor a link to there', () => {
    const folder = tempFolder();
    const written = program(path.join(folder, 'written'));
    mkdirSync(path.join(folder, 'linked'));
    symlinkSync(written, path.join(folder, 'linked/rg'));
    const found = program(path.join(folder, 'good'));
    const relative = path.relative(process.cwd(), path.join(folder, 'good'));
    const search = [relative, path.join(folder, 'written'), path.join(folder, 'linked')];
    const untrusted = [path.join(folder, 'written')];
    expect(findOnPath('rg', search.join(path.delimiter), untrusted)).toBeUndefined();
    expect(findOnPath('rg', [...search, path.join(folder, 'good')].join(path.delimiter), untrusted)).toBe(found);
  });
});
