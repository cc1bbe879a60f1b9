import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';

import { absolutePath } from '../../../src/core/paths.js';
import { readHostLayout } from '../../../src/sandbox/docker/host-layout.js';
import type { HostLayout } from '../../../src/sandbox/docker/host-layout.js';
import { skeletonTar } from '../../../src/sandbox/docker/skeleton-tar.js';

const LAYOUT: HostLayout = {
  shown: [absolutePath('/usr'), absolutePath('/etc'), absolutePath('/nix/store')],
  links: [{ path: absolutePath('/bin'), target: 'usr/bin' }],
};

function listed(layout: HostLayout): readonly string[] {
  const args = ['--list', '--verbose', '--numeric-owner', '--utc', '--file', '-'];
  const text = execFileSync('tar', args, {
    input: skeletonTar(layout),
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  });
  return text.trimEnd().split('\n');
}

describe('the archive of an image', () => {
  test('is read by tar, and holds folders and links only', () => {
    const lines = listed(LAYOUT).map((line) => line.replace(/\s+/g, ' '));
    expect(lines).toEqual([
      ...['dev', 'etc', 'home', 'mnt', 'nix', 'nix/store', 'opt', 'proc', 'root', 'run', 'srv', 'sys', 'tmp', 'usr']
        .concat('var', 'var/tmp')
        .map((name) => `${name.endsWith('tmp') ? 'drwxrwxrwt' : 'drwxr-xr-x'} 0/0 0 1970-01-01 00:00 ${name}/`),
      'lrwxrwxrwx 0/0 0 1970-01-01 00:00 bin -> usr/bin',
    ]);
  });

  test('is the same for the same layout, in whole blocks', () => {
    const tar = skeletonTar(LAYOUT);
    expect(Buffer.compare(tar, skeletonTar(LAYOUT))).toBe(0);
    expect(tar.length % 512).toBe(0);
    expect(tar.subarray(-1024).every((byte) => byte === 0)).toBe(true);
  });

  test('takes no name that does not fit', () => {
    const links = [{ path: absolutePath('/bin'), target: 'x'.repeat(101) }];
    expect(() => skeletonTar({ shown: [], links })).toThrow(RangeError);
  });
});

test('the layout of this system has its programs, and each path once', async () => {
  const layout = await readHostLayout();
  const paths = [...layout.shown, ...layout.links.map((link) => link.path)];
  expect(layout.shown).toContain('/usr');
  expect(paths).toContain('/bin');
  expect(new Set(paths).size).toBe(paths.length);
});
