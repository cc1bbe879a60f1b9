import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { absolutePath } from '../../../src/core/paths.js';
import { createStage, dropStage, stageBegan } from '../../../src/sandbox/staging/stage.js';
import { freshStage, places, stagedRun } from './staged-run.js';
import { PLAIN_USER, USERS } from './users.js';

describe.each(USERS)('as $name', (user) => {
  test('a stage is private, and its root looks like the workspace', async (context) => {
    const stage = await freshStage(context, user, { before: 'chmod 751 .' });
    const modes = [path.dirname(stage.upper), stage.upper, stage.work].map((folder) => statSync(folder).mode & 0o7777);
    expect(modes).toEqual([0o700, 0o751, 0o700]);
    expect(path.dirname(stage.work)).toBe(path.dirname(stage.upper));
  });

  test('a stage goes away whatever a command left in it, and nothing that links lead to does', async (context) => {
    const outside = path.join(places(user).place, 'outside');
    writeFileSync(outside, 'kept');
    const command = `
      mkdir -p a/b c d/e; echo x > a/b/x; ln -s ${path.dirname(outside)} out; ln -s ${outside} a/out; mkfifo p; rm gone
      echo y > "$(printf 'o\\377')"; chmod 0 a/b; chmod 500 a c; chmod 0 d`;
    const stage = await stagedRun(context, user, { before: 'echo g > gone', command });
    await user.act(() => dropStage(stage));
    expect(existsSync(path.dirname(stage.upper))).toBe(false);
    expect(readFileSync(outside, 'utf8')).toBe('kept');
    expect(existsSync(`${stage.lower}/gone`)).toBe(true);
    await user.act(() => dropStage(stage));
  });

  test('a stage that is deeper than any path can be long goes away', async (context) => {
    const stage = await freshStage(context, user, { before: 'true' });
    const dig = 'for (1..40) { mkdir "f" x 200 or die; chdir "f" x 200 or die }';
    expect(user.spawn(['perl', '-e', dig], { cwd: stage.upper }).status).toBe(0);
    await user.act(() => dropStage(stage));
    expect(existsSync(path.dirname(stage.upper))).toBe(false);
  });
});

test('a folder that is no stage is not removed', async () => {
  const { workspace, place } = places(PLAIN_USER);
  mkdirSync(`${place}/upper`);
  const stage = { lower: workspace, upper: absolutePath(`${place}/upper`), work: absolutePath(`${place}/work`) };
  await expect(dropStage(stage)).rejects.toThrow('was not made by createStage');
  expect(existsSync(`${place}/upper`)).toBe(true);
});

test('changes before and after a stage was made can be told apart, however quickly they follow', async (context) => {
  const [user = PLAIN_USER] = USERS;
  for (let round = 0; round < 10; round++) {
    const stage = await freshStage(context, user, { before: 'echo a > a' });
    const file = `${stage.lower}/a`;
    const began = await stageBegan(stage);
    expect(lstatSync(file, { bigint: true }).ctimeNs < began).toBe(true);
    writeFileSync(file, 'b');
    utimesSync(file, 1, 1);
    expect(lstatSync(file, { bigint: true }).ctimeNs >= began).toBe(true);
  }
});

test('a stage inside of the workspace is refused, also through a link', async () => {
  const { workspace, place } = places(USERS[0] ?? PLAIN_USER);
  mkdirSync(`${workspace}/inner`);
  symlinkSync(`${workspace}/inner`, `${place}/link`);
  const refusal = 'inside of the workspace';
  await expect(createStage(workspace, workspace)).rejects.toThrow(refusal);
  await expect(createStage(workspace, absolutePath(`${place}/link`))).rejects.toThrow(refusal);
  expect(await readdir(`${workspace}/inner`)).toEqual([]);
});

test('a stage on an overlay is refused with what to do', async (context) => {
  const code = `
    const { createStage } = await import(${JSON.stringify(path.resolve('src/sandbox/staging/stage.ts'))});
    const [workspace, place] = process.argv.slice(-2);
    await createStage(workspace, place).catch((error) => console.log(error.name + ': ' + error.message));`;
  const [user = PLAIN_USER] = USERS;
  const stage = await freshStage(context, user, { before: 'true' });
  const script = `mount -t overlay -o "userxattr,volatile,lowerdir=$1,upperdir=$2,workdir=$3" overlay "$1" || exit 77
    cd "$4"; exec "$5" --import tsx --input-type=module -e "$6" / "$1"`;
  const words = [
    stage.lower,
    stage.upper,
    stage.work,
    process.cwd(),
    process.execPath,
    code.replace('(workspace', "('/proc'"),
  ];
  const { status, stdout, stderr } = user.spawn(['unshare', '-Urm', 'sh', '-c', script, 'sh', ...words], {});
  if (status === 77 || stderr.startsWith('unshare:')) context.skip(`no overlay in a user namespace here: ${stderr}`);
  expect(stdout.toString()).toMatch(
    /^ConfigError: .* is on an overlay file system itself; choose a folder on a volume/,
  );
});
