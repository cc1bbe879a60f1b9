import { lstatSync, readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';

import { putAway } from '../../../src/sandbox/guard/quarantine.js';
import { at, file, folder, realFolder } from '../resolve/workspace.js';

test('where it cannot go it leaves nothing behind, and the next folder takes it', () => {
  const root = realFolder();
  const thing = folder(root, 'thing');
  const inner = folder(thing, 'inner');
  // Nothing can be moved into itself.
  expect(putAway(thing, [inner, root])).toBe(at(root, '.tenon-quarantine-1-thing'));
  expect(readdirSync(at(root, '.tenon-quarantine-1-thing/inner'))).toEqual([]);
});

test('what no folder takes stays where it is', () => {
  const thing = folder(realFolder(), 'thing');
  expect(() => putAway(thing, [thing])).toThrow('EINVAL');
  expect(readdirSync(thing)).toEqual([]);
});

test.each([
  ['.git', 'git'],
  ['evil.toml', 'evil-toml'],
  ['a\nb "c" $(d)', 'a-b--c----d-'],
  ['...', ''],
  ['n'.repeat(250), 'n'.repeat(60)],
])('the name %j becomes one that means nothing', (name, plain) => {
  const root = realFolder();
  expect(putAway(file(root, name, 'text'), [root])).toBe(at(root, `.tenon-quarantine-1-${plain}`));
  expect(readFileSync(at(root, `.tenon-quarantine-1-${plain}`), 'utf8')).toBe('text');
});

test('a thing of the same name before it is left alone', () => {
  const root = realFolder();
  const before = putAway(file(root, '.git', 'one'), [root]);
  const after = putAway(folder(root, '.git'), [root]);
  expect([readFileSync(before, 'utf8'), lstatSync(after).isDirectory()]).toEqual(['one', true]);
});
