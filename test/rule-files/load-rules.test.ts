import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { ConfigError } from '../../src/core/errors.js';
import { loadRules } from '../../src/rule-files/load-rules.js';
import { tempFolder } from '../support/temp-folder.js';

const RULE = '[[host]]\nhost = "a"\ndecision = "allow"\n';

function write(file: string, content: string | Buffer): string {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

async function messageOf(folder: string): Promise<string> {
  const thrown: unknown = await loadRules({
    home: folder,
    userHome: '/home/u',
    project: { root: `${folder}/p` },
  }).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(ConfigError);
  return (thrown as ConfigError).message.replaceAll(folder, '~');
}

describe('loadRules', () => {
  test('there need be no rules', async () => {
    expect(await loadRules({ home: '/nowhere', userHome: '/home/u', project: { root: '/nowhere' } })).toEqual([]);
  });

  test("reads the user's rules, then the project's, each by name", async () => {
    const folder = tempFolder();
    const files = ['rules/a.toml', 'rules/b.toml', 'p/.tenon/rules/A.toml', 'p/.tenon/rules/z.toml'];
    for (const file of files.toReversed()) write(path.join(folder, file), RULE);
    const others = [
      'rules/notes.md',
      'rules/.a.toml',
      'rules/.X.TOML',
      'rules/a.toml~',
      'rules/.git/x.toml',
      'rules/d/x',
    ];
    for (const other of others) write(path.join(folder, other), 'x');
    const rules = await loadRules({ home: folder, userHome: '/home/u', project: { root: path.join(folder, 'p') } });
    expect(rules.map(({ file }) => path.relative(folder, file))).toEqual(files);
  });

  test('paths in a project are relative to its folder', async () => {
    const folder = tempFolder();
    write(path.join(folder, '.tenon/rules/a.toml'), '[[path]]\nwrite = "dist"\ndecision = "allow"\n');
    const rules = await loadRules({ home: '/nowhere', userHome: '/home/u', project: { root: folder } });
    expect(rules).toMatchObject([{ patterns: [`${folder}/dist`] }]);
  });

  test('lists every problem of every file', async () => {
    const folder = tempFolder();
    write(path.join(folder, 'rules/a.toml'), '[[host]]\nhst = "a"\ndecision = "no"\n');
    write(path.join(folder, 'p/.tenon/rules/b.toml'), '[[hosts]]\n');
    expect(await messageOf(folder)).toBe(
      [
        '~/rules/a.toml:1: missing field `host`',
        '~/rules/a.toml:2: unknown key `hst`; did you mean `host`?',
        '~/rules/a.toml:3: unknown variant `no`, expected one of `allow`, `prompt`, `forbidden` at `decision`',
        '~/p/.tenon/rules/b.toml:1: unknown table `hosts`; did you mean `[[host]]`?',
      ].join('\n'),
    );
  });

  test('a link that leads nowhere is not the same as no rules', async () => {
    const folder = tempFolder();
    symlinkSync('/nowhere', path.join(folder, 'rules'));
    mkdirSync(path.join(folder, 'p'));
    symlinkSync('/nowhere', path.join(folder, 'p/.tenon'));
    expect((await messageOf(folder)).split('\n')).toEqual([
      '~/rules:1: it is a link that leads nowhere; mend it, or remove it if there are no rules',
      '~/p/.tenon:1: it is a link that leads nowhere; mend it, or remove it if there are no rules',
    ]);
  });

  test('what looks like rules but is not read is a problem', async () => {
    const folder = tempFolder();
    for (const file of ['rules/a.toml', 'rules/X.TOML', 'rules/b/c/d.toml', 'elsewhere/x.toml']) {
      write(path.join(folder, file), RULE);
    }
    symlinkSync(path.join(folder, 'elsewhere'), path.join(folder, 'rules/link'));
    expect((await messageOf(folder)).split('\n')).toEqual([
      '~/rules/X.TOML:1: it is not read; let its name end with `.toml` in small letters',
      '~/rules/b/c/d.toml:1: it is not read; move it to `~/rules` itself',
      '~/rules/link/x.toml:1: it is not read; move it to `~/rules` itself',
    ]);
  });

  test('what cannot be read is a problem, and never waited for', async () => {
    const folder = tempFolder();
    mkdirSync(path.join(folder, 'rules/a.toml'), { recursive: true });
    write(path.join(folder, 'rules/b.toml'), `#${'x'.repeat(1024 * 1024)}`);
    write(path.join(folder, 'rules/c.toml'), Buffer.from([0x23, 0xff]));
    symlinkSync('/nowhere', path.join(folder, 'rules/d.toml'));
    execFileSync('mkfifo', [path.join(folder, 'rules/e.toml')]);
    write(path.join(folder, 'p/.tenon/rules'), '');
    expect((await messageOf(folder)).split('\n')).toEqual([
      '~/rules/a.toml:1: it cannot be read: it is not a regular file',
      '~/rules/b.toml:1: it cannot be read: it is bigger than 1 MiB',
      '~/rules/c.toml:1: it cannot be read: it is not UTF-8',
      expect.stringMatching(/^~\/rules\/d\.toml:1: it cannot be read: ENOENT/),
      '~/rules/e.toml:1: it cannot be read: it is not a regular file',
      expect.stringMatching(/^~\/p\/\.tenon\/rules:1: the folder cannot be read: ENOTDIR/),
    ]);
  });
});
