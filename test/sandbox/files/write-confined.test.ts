import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { describe, expect, test } from 'vitest';

import type { AbsolutePath } from '../../../src/core/paths.js';
import { BY_DESCRIPTOR, BY_NAME } from '../../../src/files/anchor.js';
import { fileOf, layGrounds, placeAt } from './grounds.js';

const [OLD, NEW] = [fileOf('old'), fileOf('new')];
const LINUX = process.platform === 'linux';

describe.each(LINUX ? [{ anchoring: BY_DESCRIPTOR }, { anchoring: BY_NAME }] : [{ anchoring: BY_NAME }])(
  'with $anchoring.flags',
  ({ anchoring }) => {
    test('a file is made and replaced in a writable folder, and nothing else is left there', async () => {
      const { write, at, content, names, denials } = layGrounds(anchoring);
      expect([await write(at('ws/a'), 'one'), content('ws/a')]).toEqual(['done', 'one']);
      expect([await write(at('ws/a'), 'two'), content('ws/a')]).toEqual(['done', 'two']);
      expect([names('ws'), denials]).toEqual([['.git', 'a'], []]);
    });

    test('a new file gets the usual mode, a replaced one keeps its own', async () => {
      const { write, at } = layGrounds(anchoring);
      fs.writeFileSync(at('ws/script'), '', { mode: 0o751 });
      fs.chmodSync(at('ws/script'), 0o4751);
      await write(at('ws/script'), 'x');
      await write(at('ws/new'), 'x');
      const mode = (name: string) => (fs.statSync(at('ws', name)).mode & 0o7777).toString(8);
      expect([mode('script'), mode('new')]).toEqual(['751', (0o666 & ~process.umask()).toString(8)]);
    });

    test.runIf(process.getuid?.() === 0)('a replaced file keeps its owner', async () => {
      const { write, at } = layGrounds(anchoring);
      fs.writeFileSync(at('ws/a'), '');
      fs.chownSync(at('ws/a'), 1_234, 2_345);
      await write(at('ws/a'), 'x');
      expect(fs.statSync(at('ws/a'))).toMatchObject({ uid: 1_234, gid: 2_345 });
    });

    test('missing folders are made', async () => {
      const { write, at, content } = layGrounds(anchoring);
      expect(await write(at('ws/a/b/c/file'), 'deep')).toBe('done');
      expect(content('ws/a/b/c/file')).toBe('deep');
    });

    test('outside, nothing is written and no folder is made', async () => {
      const { write, at, names, denials } = layGrounds(anchoring);
      expect(await write(at('outside/a'), 'x')).toBe('forbidden');
      expect(await write(at('outside/b/c'), 'x')).toBe('forbidden');
      expect(await write(`${at('ws')}/../outside/d` as AbsolutePath, 'x')).toBe('forbidden');
      expect(names('outside')).toEqual([]);
      expect(denials).toEqual(
        ['outside/a', 'outside/b', 'outside/d'].map((name) => ({ kind: 'write', target: at(name), proof: 'broker' })),
      );
    });

    test('a neighbour whose name merely starts like a writable folder is outside', async () => {
      const { write, at } = layGrounds(anchoring);
      fs.mkdirSync(at('ws-other'));
      expect(await write(at('ws-other/a'), 'x')).toBe('forbidden');
    });

    test('links inside are followed and stay links', async () => {
      const { write, at, content } = layGrounds(anchoring);
      fs.mkdirSync(at('ws/real/deep'), { recursive: true });
      fs.writeFileSync(at('ws/real/file'), 'old');
      fs.symlinkSync('real/deep', at('ws/folder'));
      fs.symlinkSync('folder/../file', at('ws/one'));
      fs.symlinkSync(at('ws/one'), at('ws/two'));
      expect(await write(at('ws/two'), 'new')).toBe('done');
      expect(await write(`${at('ws')}/folder/../up` as AbsolutePath, 'up')).toBe('done');
      expect([content('ws/real/file'), content('ws/real/up')]).toEqual(['new', 'up']);
      expect(fs.readlinkSync(at('ws/two'))).toBe(at('ws/one'));
    });

    test('a link that leads nowhere is in the way of a new file', async () => {
      const { write, at, names } = layGrounds(anchoring);
      fs.symlinkSync('unborn', at('ws/dangling'));
      expect([await write(at('ws/dangling'), 'born'), names('ws')]).toEqual(['in-the-way', ['.git', 'dangling']]);
    });

    test('a link that leads out is a denial of the place it leads to', async () => {
      const { write, at, names, content, denials } = layGrounds(anchoring);
      for (const name of ['file', 'winding']) fs.writeFileSync(at('outside', name), 'old');
      fs.symlinkSync('../outside/file', at('ws/file'));
      fs.symlinkSync(at('outside'), at('ws/folder'));
      fs.symlinkSync('folder/../outside/winding', at('ws/winding'));
      fs.symlinkSync('../hidden/secret', at('ws/hidden'));
      for (const name of ['file', 'folder/in', 'folder/new/in', 'winding', 'hidden']) {
        expect(await write(at('ws', name), 'x'), name).toBe('forbidden');
      }
      expect([names('outside'), content('outside/file')]).toEqual([['file', 'winding'], 'old']);
      expect(denials.map(({ target }) => target)).toEqual(
        ['outside/file', 'outside/in', 'outside/new', 'outside/winding', 'hidden/secret'].map((name) => at(name)),
      );
    });

    test('links that lead in circles are given up', async () => {
      const { files, at } = layGrounds(anchoring);
      fs.symlinkSync('b', at('ws/a'));
      fs.symlinkSync('a', at('ws/b'));
      fs.symlinkSync('self/x', at('ws/self'));
      for (const path of [at('ws/a'), at('ws/self')]) {
        await expect(files.change([{ path, before: OLD, after: NEW }])).rejects.toThrow('(ELOOP)');
      }
    });

    test('forty links are followed, not one more', async () => {
      const { files, at, content } = layGrounds(anchoring);
      fs.writeFileSync(at('ws/l0'), 'old');
      for (let index = 1; index <= 41; index += 1) fs.symlinkSync(`l${index - 1}`, at(`ws/l${index}`));
      const through = (name: string) => files.change([{ path: at('ws', name), before: OLD, after: NEW }]);
      await expect(through('l41')).rejects.toThrow('(ELOOP)');
      await through('l40');
      expect(content('ws/l0')).toBe('new');
    });

    test('what is protected stays, unless a single right says otherwise', async () => {
      const { write, at, change, content, names } = layGrounds(anchoring);
      fs.writeFileSync(at('ws/.git/config'), 'old');
      fs.symlinkSync('.git/config', at('ws/way'));
      expect([await write(at('ws/.git/config'), 'x'), await write(at('ws/way'), 'x')]).toEqual([
        'forbidden',
        'forbidden',
      ]);
      expect([await write(at('ws/.git/hooks/pre-commit'), 'x'), names('ws/.git')]).toEqual(['forbidden', ['config']]);
      change({ granted: [placeAt(at('ws/.git/config')), placeAt(at('outside'))] });
      expect([await write(at('ws/.git/config'), 'new'), await write(at('outside/a'), 'x')]).toEqual(['done', 'done']);
      expect([await write(at('ws/.git/config'), 'newer'), content('ws/.git/config')]).toEqual(['done', 'newer']);
      expect(await write(at('ws/.git/other'), 'x')).toBe('forbidden');
    });

    test('a protected folder is protected under a new name, too', async () => {
      const { write, at } = layGrounds(anchoring);
      fs.renameSync(at('ws/.git'), at('ws/moved'));
      expect(await write(at('ws/moved/config'), 'x')).toBe('forbidden');
    });

    test('a protected file, a protected link and an absent name are kept', async () => {
      const { write, at, change, content, names } = layGrounds(anchoring);
      fs.mkdirSync(at('ws/sub'));
      fs.writeFileSync(at('ws/sub/.git'), 'gitdir: elsewhere');
      fs.linkSync(at('ws/sub/.git'), at('ws/sub/same'));
      fs.writeFileSync(at('ws/plain'), 'plain');
      fs.symlinkSync('plain', at('ws/link'));
      change({
        protected: [placeAt(at('ws/sub/.git'))],
        links: [{ path: at('ws/link'), target: 'plain' }],
        absent: [at('ws/.agents')],
      });
      for (const name of ['sub/.git', 'sub/same', 'link', '.agents', '.agents/x', '.AGENTS/x']) {
        expect(await write(at('ws', name), 'x'), name).toBe('forbidden');
      }
      fs.unlinkSync(at('ws/link'));
      expect(await write(at('ws/link'), 'x')).toBe('forbidden');
      expect([content('ws/sub/.git'), content('ws/plain')]).toEqual(['gitdir: elsewhere', 'plain']);
      expect(names('ws')).toEqual(['.git', 'plain', 'sub']);
    });

    test('no right reaches into what is hidden', async () => {
      const { write, at, change, content } = layGrounds(anchoring);
      change({ granted: [placeAt(at('hidden'))], writable: [placeAt(at())] });
      fs.symlinkSync('../hidden/secret', at('ws/link'));
      expect([await write(at('hidden/secret'), 'x'), await write(at('ws/link'), 'x')]).toEqual([
        'forbidden',
        'forbidden',
      ]);
      expect(content('hidden/secret')).toBe('secret');
    });

    test('a writable folder that is another one by now is not written to', async () => {
      const { write, at, names } = layGrounds(anchoring);
      fs.renameSync(at('ws'), at('old'));
      fs.mkdirSync(at('ws'));
      expect([await write(at('ws/a'), 'x'), names('ws')]).toEqual(['forbidden', []]);
      fs.rmdirSync(at('ws'));
      fs.symlinkSync('outside', at('ws'));
      expect([await write(at('ws/a'), 'x'), names('outside')]).toEqual(['forbidden', []]);
    });

    test('other names of a replaced file keep the old content', async () => {
      const { write, at, content } = layGrounds(anchoring);
      fs.writeFileSync(at('outside/a'), 'old');
      fs.linkSync(at('outside/a'), at('ws/a'));
      expect([await write(at('ws/a'), 'new'), content('ws/a'), content('outside/a')]).toEqual(['done', 'new', 'old']);
    });

    test('what is no regular file is not replaced', async () => {
      const { write, at } = layGrounds(anchoring);
      fs.mkdirSync(at('ws/folder'));
      execFileSync('mkfifo', [at('ws/pipe')]);
      fs.writeFileSync(at('ws/file'), 'old');
      fs.symlinkSync('folder/..', at('ws/up'));
      const outcomes = [
        await write(at('ws/folder'), 'x'),
        await write(at('ws'), 'x'),
        await write(`${at('ws/folder')}/` as AbsolutePath, 'x'),
        await write(`${at('ws/none')}/` as AbsolutePath, 'x'),
        await write(at('ws/up'), 'x'),
        await write(at('ws/pipe'), 'x'),
        await write(at('ws/file/below'), 'x'),
        await write('/', 'x'),
      ];
      const expected = ['in-the-way', 'forbidden', 'folder', 'folder', 'in-the-way', 'in-the-way', 'missing', 'folder'];
      expect(outcomes).toEqual(expected);
    });

    test('a link that leads nowhere is no folder to make things in', async () => {
      const { write, at, names } = layGrounds(anchoring);
      fs.symlinkSync(at('outside/none'), at('ws/nowhere'));
      fs.symlinkSync('none', at('ws/inside'));
      expect([await write(at('ws/nowhere/a'), 'x'), await write(at('ws/inside/a'), 'x')]).toEqual([
        'missing',
        'missing',
      ]);
      expect(await write(`${at('ws')}/none/../a` as AbsolutePath, 'x')).toBe('missing');
      expect([names('outside'), names('ws')]).toEqual([[], ['.git', 'inside', 'nowhere']]);
    });

    test('every name that a file can have is written', async () => {
      const { write, at, content } = layGrounds(anchoring);
      const strange = [
        'a\nb',
        '-rf',
        ' ',
        '"$(x)`',
        '..x',
        'x (deleted)',
        'ä'.repeat(127),
        'n'.repeat(255),
        '\u{1f600}',
      ];
      for (const name of strange) {
        expect(await write(at('ws', name), name), name).toBe('done');
        expect(await write(at('ws', `in ${name}`.slice(0, 120), name), name), name).toBe('done');
        expect(content('ws', name)).toBe(name);
      }
    });

    test('a name that is too long is a problem and leaves nothing behind', async () => {
      const { write, at, names } = layGrounds(anchoring);
      expect([await write(at('ws', 'n'.repeat(256)), 'x'), await write(at('ws', 'a/'.repeat(3_000)), 'x')]).toEqual([
        'broken',
        'folder',
      ]);
      expect(await write(at('ws', `${'a/'.repeat(3_000)}b`), 'x')).toBe('broken');
      expect(names('ws')).toEqual(['.git']);
    });

    test('of many writers at once one wins as a whole, and the others are told', async () => {
      const { write, at, content, names } = layGrounds(anchoring);
      const texts = Array.from({ length: 20 }, (_, index) => `${index}`.repeat(10_000));
      for (const refused of ['in-the-way', 'changed']) {
        const outcomes = await Promise.all(texts.map((text) => write(at('ws/a'), `${refused} ${text}`)));
        expect(outcomes.filter((each) => each !== 'done')).toEqual(Array(19).fill(refused));
        expect(content('ws/a')).toBe(`${refused} ${texts[outcomes.indexOf('done')]}`);
        expect(names('ws')).toEqual(['.git', 'a']);
      }
    });

    test('nothing is removed that may not be written', async () => {
      const { remove, at, change, names, content } = layGrounds(anchoring);
      fs.writeFileSync(at('outside/a'), 'a');
      fs.writeFileSync(at('ws/.git/config'), 'config');
      fs.symlinkSync('../outside', at('ws/out'));
      const ways = ['outside/a', 'outside', 'ws/.git/config', 'ws/.git', 'ws/out/a', 'hidden/secret', 'hidden'];
      for (const way of ways) expect(await remove(at(way)), way).toBe('forbidden');
      change({ granted: [placeAt(at('outside'))] });
      expect([await remove(at('outside/a')), names('outside')]).toEqual(['done', []]);
      expect([content('ws/.git/config'), content('hidden/secret')]).toEqual(['config', 'secret']);
    });

    test('the writable folder itself stays', async () => {
      const { remove, files, at } = layGrounds(anchoring);
      fs.rmdirSync(at('ws/.git'));
      expect(await remove(at('ws'))).toBe('forbidden');
      const [before, after] = [{ kind: 'folder' }, { kind: 'folder', mode: 0o777 }] as const;
      await expect(files.change([{ path: at('ws'), before, after }])).rejects.toThrow('permission denied');
    });
  },
);

test.runIf(LINUX)('the places of processes cannot be written to, even where everything is writable', async () => {
  const { write, at, change } = layGrounds();
  change({ writable: [placeAt('/' as AbsolutePath)] });
  expect(await write('/proc/self/oom_score_adj', '0')).toBe('forbidden');
  expect(await write(`/proc/self/cwd/../../../../../../..${at('ws/a')}`, 'x')).toBe('done');
});

test.runIf(LINUX)('a folder that is moved out while it is written to stays as it was', async () => {
  let asked = 0;
  let move = () => {};
  const { write, at, names, denials } = layGrounds({
    ...BY_DESCRIPTOR,
    nameOf: (handle, openedAs) => {
      asked += 1;
      // Asked before writing and before naming.
      if (asked === 2) move();
      return BY_DESCRIPTOR.nameOf(handle, openedAs);
    },
  });
  fs.mkdirSync(at('ws/d'));
  move = () => {
    expect(names('ws/d')).toHaveLength(1);
    fs.renameSync(at('ws/d'), at('outside/d'));
  };
  expect(await write(at('ws/d/a'), 'x')).toBe('forbidden');
  expect([names('outside/d'), denials.map(({ target }) => target)]).toEqual([[], [at('outside/d/a')]]);
});
