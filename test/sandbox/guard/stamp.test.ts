import { chmodSync, lstatSync, renameSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';

import { identityOf, isUntouched, stampOf } from '../../../src/sandbox/guard/stamp.js';
import { at, file, folder, realFolder } from '../resolve/workspace.js';

test('what has not changed for long is untouched, but right after a change nothing is sure', () => {
  const stats = lstatSync(file(realFolder(), 'a'));
  const untouched = (msLater: number) => isUntouched(stampOf(stats, stats.ctimeMs + msLater), stats);
  expect([0, 2_000, 2_501, -5_000].map(untouched)).toEqual([false, false, true, false]);
});

test('other contents, rights or another file are a touch', () => {
  const root = realFolder();
  const name = file(root, 'a', 'x');
  const stamp = stampOf(lstatSync(name), Date.now() + 3_600_000);
  const acts = [
    () => writeFileSync(name, 'xy'),
    () => chmodSync(name, 0o600),
    () => renameSync(file(root, 'b', 'x'), name),
  ];
  for (const act of acts) {
    act();
    expect(isUntouched(stamp, lstatSync(name))).toBe(false);
  }
});

test('a folder is the same under another name, whatever was put into it', () => {
  const root = realFolder();
  const before = identityOf(lstatSync(folder(root, 'a')));
  renameSync(at(root, 'a'), at(root, 'b'));
  file(root, 'b/c');
  expect(identityOf(lstatSync(at(root, 'b')))).toBe(before);
  expect(identityOf(lstatSync(folder(root, 'a')))).not.toBe(before);
});
