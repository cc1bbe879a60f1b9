import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';

import { BY_DESCRIPTOR, BY_NAME } from '../../../src/files/anchor.js';
import { layGrounds, placeAt } from './grounds.js';
import { openFiles } from '../../support/open-files.js';

const LINUX = process.platform === 'linux';

describe.each(LINUX ? [{ anchoring: BY_DESCRIPTOR }, { anchoring: BY_NAME }] : [{ anchoring: BY_NAME }])(
  'with $anchoring.flags',
  ({ anchoring }) => {
    test('a file that is not hidden is read, wherever it is', async () => {
      const { read, at, denials } = layGrounds(anchoring);
      fs.writeFileSync(at('outside/a'), 'text');
      fs.symlinkSync('../outside/a', at('ws/link'));
      expect([await read(at('outside/a')), await read(at('ws/link')), denials]).toEqual(['text', 'text', []]);
    });

    test('the size is told, and reading goes on where it is asked to', async () => {
      const { files, at } = layGrounds(anchoring);
      fs.writeFileSync(at('ws/a'), '0123456789');
      const file = await files.open(at('ws/a'));
      onTestFinished(() => file.close());
      const bytes = Buffer.alloc(4);
      expect([file.size, await file.read(bytes, 8), await file.read(bytes, 10)]).toEqual([10, 2, 0]);
    });

    test('what is hidden is refused by its name, and what was stopped is reported', async () => {
      const { read, at, denials } = layGrounds(anchoring);
      expect([await read(at('hidden/secret')), await read(at('hidden'))]).toEqual(['forbidden', 'forbidden']);
      expect(denials).toEqual([
        { kind: 'read', target: at('hidden/secret'), proof: 'broker' },
        { kind: 'read', target: at('hidden'), proof: 'broker' },
      ]);
    });

    test('names in a hidden folder cannot be guessed', async () => {
      const { read, write, at } = layGrounds(anchoring);
      expect([await read(at('hidden/nothing')), await write(at('hidden/x/y'), '')]).toEqual(['forbidden', 'forbidden']);
    });

    test('no link leads to what is hidden', async () => {
      const { read, at, denials } = layGrounds(anchoring);
      fs.symlinkSync('../hidden/secret', at('ws/file'));
      fs.symlinkSync(at('hidden'), at('ws/folder'));
      fs.symlinkSync('folder/../hidden/./secret', at('ws/winding'));
      fs.symlinkSync('winding', at('ws/twice'));
      const ways = ['ws/file', 'ws/folder/secret', 'ws/winding', 'ws/twice'];
      for (const way of ways) expect(await read(at(way)), way).toBe('forbidden');
      expect(denials.map(({ target }) => target)).toEqual(Array(4).fill(at('hidden/secret')));
    });

    test('a hard link of a hidden file is hidden as well', async () => {
      const { read, write, at, change } = layGrounds(anchoring);
      fs.writeFileSync(at('ws/.env'), 'secret');
      fs.linkSync(at('ws/.env'), at('ws/copy'));
      change({ hidden: [placeAt(at('ws/.env'))] });
      expect([await read(at('ws/.env')), await read(at('ws/copy')), await write(at('ws/copy'), 'x')]).toEqual(
        Array(3).fill('forbidden'),
      );
    });

    test('a hidden file that was replaced is still hidden by its name', async () => {
      const { read, at, change } = layGrounds(anchoring);
      fs.writeFileSync(at('ws/.env'), 'old');
      change({ hidden: [placeAt(at('ws/.env'))] });
      fs.writeFileSync(at('ws/new'), 'new');
      fs.renameSync(at('ws/new'), at('ws/.env'));
      fs.symlinkSync('.env', at('ws/link'));
      expect([await read(at('ws/link')), await read(at('ws/.env'))]).toEqual(['forbidden', 'forbidden']);
    });

    test('a hidden folder is hidden under a new name, too', async () => {
      const { read, at } = layGrounds(anchoring);
      fs.renameSync(at('hidden'), at('ws/shown'));
      expect(await read(at('ws/shown/secret'))).toBe('forbidden');
    });

    test('what is no regular file is not opened', async () => {
      const { read, at } = layGrounds(anchoring);
      execFileSync('mkfifo', [at('ws/pipe')]);
      fs.symlinkSync('loop', at('ws/loop'));
      const server = net.createServer().listen(at('ws/socket'));
      onTestFinished(() => void server.close());
      expect([
        await read(at('ws')),
        await read(at('ws/pipe')),
        await read('/dev/null'),
        await read(at('ws/none')),
      ]).toEqual(['folder', 'special', 'special', 'missing']);
      expect([await read(at('ws/loop')), await read(at('ws/socket'))]).toEqual([
        'broken',
        LINUX ? 'special' : 'broken',
      ]);
    });
  },
);

describe.runIf(LINUX)('what the system tells about processes', () => {
  test.each([
    '/proc/self/environ',
    '/proc/self/mem',
    '/proc/self/maps',
    '/proc/self/fd',
    '/proc/thread-self/environ',
    '/proc/1/environ',
    `/proc/${process.ppid}/cmdline`,
    '/proc/self/root/proc/self/environ',
    '/proc/mounts',
    '/proc/cmdline',
    '/proc/sys/kernel/core_pattern',
  ])('%s is refused', async (file) => {
    const { read, denials } = layGrounds();
    expect(await read(file)).toBe('forbidden');
    expect(denials).toHaveLength(1);
  });

  test('a link to it is refused as well', async () => {
    const { read, at } = layGrounds();
    fs.symlinkSync('/proc/self/environ', at('ws/link'));
    expect(await read(at('ws/link'))).toBe('forbidden');
  });

  test('facts about the machine can be read', async () => {
    const { read } = layGrounds();
    expect(await read('/proc/version')).toMatch(/^Linux/);
    expect(await read('/proc/self/../meminfo')).toMatch(/^MemTotal/);
  });

  test('a file that has no name any more cannot be had through a descriptor', async () => {
    const { read, at } = layGrounds();
    fs.writeFileSync(at('ws/gone'), 'gone');
    const descriptor = fs.openSync(at('ws/gone'), 'r');
    onTestFinished(() => fs.closeSync(descriptor));
    fs.unlinkSync(at('ws/gone'));
    expect(await read(`/proc/self/fd/${descriptor}`)).toBe('broken');
    // The kernel's name for it can be the name of something else.
    fs.writeFileSync(at('ws/gone (deleted)'), 'other');
    expect(await read(`/proc/self/fd/${descriptor}`)).toBe('broken');
  });

  test('a pipe is no file, whichever way it is reached', async () => {
    const { read, at } = layGrounds();
    execFileSync('mkfifo', [at('ws/pipe')]);
    const descriptor = fs.openSync(at('ws/pipe'), fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    onTestFinished(() => fs.closeSync(descriptor));
    fs.unlinkSync(at('ws/pipe'));
    expect(await read(`/proc/self/fd/${descriptor}`)).toBe('special');
  });
});

test('no descriptor is left open, whether it worked or not', async () => {
  const { read, write, at } = layGrounds();
  fs.symlinkSync(at('outside'), at('ws/out'));
  fs.writeFileSync(at('ws/a'), '');
  const before = openFiles();
  for (const file of [at('ws/a'), at('ws'), at('hidden/secret'), at('ws/out/x'), '/proc/self/environ', '/dev/null']) {
    await read(file);
    await write(file, '');
  }
  await write(at('ws/new/folder/file'), '');
  expect(openFiles()).toEqual(before);
});

test('a name that leads elsewhere once it was looked at is not read', async () => {
  const { at, change, files } = layGrounds(BY_NAME);
  fs.writeFileSync(at('ws/a'), 'harmless');
  let looks = 0;
  const places = [placeAt(at('hidden'))];
  const swap = () => {
    looks += 1;
    // The first look is at the name that was asked for, the second at what was found.
    if (looks === 2) fs.rmSync(at('ws/a'));
    if (looks === 2) fs.symlinkSync(at('hidden/secret'), at('ws/a'));
    return places;
  };
  change({
    hidden: new Proxy(places, { get: (target, key) => Reflect.get(key === 'some' ? swap() : target, key) as unknown }),
  });
  await expect(files.open(at('ws/a'))).rejects.toThrow('permission denied');
});
