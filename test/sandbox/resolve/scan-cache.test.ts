import { renameSync, rmSync, utimesSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

import type { AbsolutePath } from '../../../src/core/paths.js';
import { createScanCache } from '../../../src/sandbox/resolve/scan-cache.js';
import type { ScanCache } from '../../../src/sandbox/resolve/scan-cache.js';
import { scan } from '../../../src/sandbox/resolve/scan.js';
import { at, folder, pathsOf, realFolder } from './workspace.js';

const RULES = { names: ['.git'], ignoreCase: false, maxDepth: 6, maxEntries: 20_000 };

/** Far enough from every change that none could still fall into the same tick. */
const LATER = Date.now() + 3_600_000;

function cacheAt(
  clock: { now: number },
  trustMs = 1_000,
): { cache: ScanCache; found: (root: AbsolutePath) => readonly string[] } {
  const cache = createScanCache({ now: () => clock.now, trustMs });
  return { cache, found: (root) => pathsOf(cache.scan(root, RULES).found) };
}

describe('what was found in a root', () => {
  test('is taken as it was within the trusted time', () => {
    const root = realFolder();
    folder(root, 'a');
    const clock = { now: LATER };
    const { found } = cacheAt(clock);
    expect(found(root)).toEqual([]);
    const made = folder(root, 'a/.git');
    clock.now += 999;
    expect(found(root)).toEqual([]);
    clock.now += 1;
    expect(found(root)).toEqual([made]);
  });

  test('is looked at again when the clock was set back', () => {
    const root = realFolder();
    folder(root, 'a');
    const clock = { now: LATER };
    const { found } = cacheAt(clock);
    found(root);
    const made = folder(root, 'a/.git');
    clock.now -= 1;
    expect(found(root)).toEqual([made]);
  });

  test('is looked at again after it was to be forgotten', () => {
    const root = realFolder();
    folder(root, 'a');
    const { cache, found } = cacheAt({ now: LATER });
    found(root);
    const made = folder(root, 'a/b/.git');
    cache.forget();
    expect(found(root)).toEqual([made]);
    rmSync(made, { recursive: true });
    cache.forget();
    expect(found(root)).toEqual([]);
  });

  test('is looked at again when the root itself has changed', () => {
    const root = realFolder();
    const { found } = cacheAt({ now: LATER });
    found(root);
    expect(found(root)).toEqual([]);
    const made = folder(root, 'a/.git');
    expect(found(root)).toEqual([made]);
  });

  test('is kept apart for other names and bounds', () => {
    const root = realFolder();
    folder(root, 'a/b/.tenon');
    const cache = createScanCache();
    expect(cache.scan(root, RULES).found).toEqual([]);
    expect(pathsOf(cache.scan(root, { ...RULES, names: ['.tenon'] }).found)).toEqual([at(root, 'a/b/.tenon')]);
    expect(cache.scan(root, { ...RULES, names: ['.tenon'], maxDepth: 1 })).toEqual({
      found: [],
      sealed: [],
      cut: 'depth',
    });
  });
});

describe('a folder that was listed before', () => {
  const search = (root: AbsolutePath, now: number, before = new Map()) =>
    scan(root, { ...RULES, now: () => now }, before);

  test('is not listed again while it has not changed', () => {
    const root = realFolder();
    folder(root, 'a/b');
    const { listings } = search(root, LATER);
    const again = search(root, LATER, listings);
    expect([...again.listings]).toHaveLength(3);
    for (const [name, listing] of again.listings) expect(listing).toBe(listings.get(name));
  });

  test('is listed again when it was listed too soon after a change to be sure', () => {
    const root = realFolder();
    folder(root, 'a');
    const { listings } = search(root, Date.now());
    const again = search(root, Date.now(), listings);
    for (const [name, listing] of again.listings) expect(listing).not.toBe(listings.get(name));
  });

  test('cannot hide a change by its times, and another one of its name is listed', () => {
    const root = realFolder();
    folder(root, 'a');
    folder(root, 'b/.git');
    const { listings } = search(root, LATER);
    const made = folder(root, 'a/.git');
    utimesSync(at(root, 'a'), 1, 1);
    expect(pathsOf(search(root, LATER, listings).found)).toEqual([made, at(root, 'b/.git')]);
    renameSync(at(root, 'a'), at(root, 'c'));
    renameSync(at(root, 'b'), at(root, 'a'));
    expect(pathsOf(search(root, LATER, listings).found)).toEqual([at(root, 'a/.git'), at(root, 'c/.git')]);
  });
});
