import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

import { runCli } from '../support/cli.js';
import { tempFolder } from '../support/temp-folder.js';

/** A home whose cache is empty. */
function emptyCache(): { readonly home: string; readonly cache: string } {
  const home = tempFolder();
  const cache = path.join(home, 'cache');
  mkdirSync(cache);
  return { home, cache };
}

/** The same after a first run, with the files of its cache. */
async function filledCache() {
  const { home, cache } = emptyCache();
  await runCli(['tools'], { home });
  return { home, cache, files: readdirSync(cache).map((name) => path.join(cache, name)) };
}

/** A private file of its own whose two halves are the same. */
function isSound(file: string): boolean {
  const sealed = readFileSync(file);
  const [first, second] = [sealed.subarray(0, sealed.length / 2), sealed.subarray(sealed.length / 2)];
  const stats = lstatSync(file);
  return sealed.length > 10_000 && first.equals(second) && stats.isFile() && (stats.mode & 0o777) === 0o600;
}

test('a first run keeps the compiled code of its command, and removes that of other builds', async () => {
  const { home, cache } = emptyCache();
  writeFileSync(path.join(cache, 'older-build.bin'), 'old');
  await runCli(['tools'], { home });
  await runCli(['ps'], { home });
  const commands = readdirSync(cache).map(
    (name) => /^(\w+)-(?:start|more)-[0-9a-f]{16}-v[\d.]+-\w+\.bin$/.exec(name)?.[1],
  );
  expect(new Set(commands)).toEqual(new Set(['tools', 'ps']));
});

test.each([[['tools', '--help']], [['help', 'tools']], [['--help']], [[]]])(
  'the help that %j shows is a command of its own',
  async (args) => {
    const { home, cache } = emptyCache();
    await runCli(args, { home });
    expect(readdirSync(cache).map((name) => name.split('-').slice(0, 2))).toEqual([['help', 'start']]);
  },
);

test.each<readonly [what: string, args: readonly string[]]>([
  ['what is no command', ['toolz']],
  ['a run that fails', ['call', 'read_file', '{"path":"missing"}']],
])('%s leaves nothing behind, because little of it is needed again', async (_, args) => {
  const { home, cache } = emptyCache();
  await runCli(args, { home });
  expect(readdirSync(cache)).toEqual([]);
});

test('a later run uses the files and leaves them alone', async () => {
  const { home, files } = await filledCache();
  const seen = () => files.map((file) => statSync(file, { bigint: true }).ino);
  const before = seen();
  expect((await runCli(['tools'], { home })).code).toBe(0);
  expect(seen()).toEqual(before);
});

test('a run that goes further than those before it keeps what it has compiled, for all that follow', async () => {
  const { home, cache } = emptyCache();
  const cwd = tempFolder();
  writeFileSync(path.join(cwd, 'a.txt'), 'alpha\n');
  const seenAfter = async (tool: string, input: object) => {
    expect((await runCli(['call', tool, JSON.stringify(input)], { home, cwd })).code).toBe(0);
    return readdirSync(cache).map((name) => statSync(path.join(cache, name), { bigint: true }).ino);
  };
  const short = await seenAfter('update_plan', { plan: [] });
  const further = await seenAfter('read_file', { path: 'a.txt' });
  expect(further).not.toEqual(short);
  expect(await seenAfter('update_plan', { plan: [] })).toEqual(further);
  expect(await seenAfter('read_file', { path: 'a.txt' })).toEqual(further);
});

test.each<readonly [what: string, spoil: (file: string) => void]>([
  ['is damaged', (file) => writeFileSync(file, readFileSync(file).fill(0, 20_000, 24_000))],
  ['was cut off', (file) => writeFileSync(file, readFileSync(file).subarray(0, 30_000))],
  ['is empty', (file) => writeFileSync(file, '')],
  ['is something else', (file) => writeFileSync(file, 'not compiled code'.repeat(2))],
  ['others can write', (file) => chmodSync(file, 0o666)],
  ['its group can write', (file) => chmodSync(file, 0o660)],
  ['is a link', (file) => asLink(file)],
])('a file that %s is not run but replaced', async (_, spoil) => {
  const { home, files } = await filledCache();
  const { stdout } = await runCli(['tools', '--json'], { home });
  for (const file of files) spoil(file);
  expect(await runCli(['tools', '--json'], { home })).toEqual({ code: 0, stdout, stderr: '' });
  expect(files.map(isSound)).toEqual(files.map(() => true));
});

function asLink(file: string): void {
  const elsewhere = path.join(file, '../..', path.basename(file));
  renameSync(file, elsewhere);
  symlinkSync(elsewhere, file);
}

test('many that start at once leave one whole file of each kind', async () => {
  const { home, cache } = emptyCache();
  const runs = await Promise.all(Array.from({ length: 4 }, () => runCli(['tools', '--json'], { home })));
  expect(new Set(runs.map(({ code }) => code))).toEqual(new Set([0]));
  const names = readdirSync(cache);
  expect(names.map((name) => name.slice(0, 11)).toSorted()).toEqual(['tools-more-', 'tools-start']);
});

test('a home that cannot be made only makes it slower', async () => {
  expect((await runCli(['tools', '--json'], { home: '/proc/nowhere' })).code).toBe(0);
});
