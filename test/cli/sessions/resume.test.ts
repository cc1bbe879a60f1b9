import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { tempFolder } from '../../support/temp-folder.js';
import { eventsOf, firstTurn, stand, threadOf } from './stand.js';

const TWO = [{ text: 'First.' }, { text: 'Second.' }];
const ALL_SAID = ['user: one', 'assistant: First.', 'user: two'];
const ONE_PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('tenon exec resume', () => {
  test.each<readonly [what: string, args: (id: string) => readonly string[], stdin: string]>([
    ['its id', (id) => ['resume', id, 'two'], ''],
    ['the beginning of its id', (id) => ['resume', id.slice(0, 13), 'two'], ''],
    ['its name', () => ['resume', 'nightly', 'two'], ''],
    ['--last', () => ['resume', '--last', 'two'], ''],
    ['--last, with the prompt on standard input', () => ['resume', '--last', '-'], 'two'],
    ['its id, with the prompt on standard input', (id) => ['resume', id], 'two'],
  ])('goes on with the session by %s', async (_, args, stdin) => {
    const at = await stand(TWO);
    const id = await firstTurn(at);
    expect(await at.run(['sessions', 'name', id, 'nightly'])).toMatchObject({ code: 0 });
    const result = await at.run(['exec', '--json', ...args(id)], { stdin });
    expect(result.code).toBe(0);
    expect(threadOf(result).thread_id).toBe(id);
    expect(at.talk(1)).toEqual(ALL_SAID);
    expect(at.kept()).toEqual([id]);
  });

  test('takes the flags of exec before the word and after it, and an image', async () => {
    const at = await stand(TWO);
    const id = await firstTurn(at);
    const image = path.join(tempFolder(), 'a.png');
    writeFileSync(image, Buffer.from(ONE_PIXEL, 'base64'));
    const flags = ['--skip-git-repo-check', '--cyber-access-program', 'x', '-C', at.cwd];
    const result = await at.run([
      'exec',
      '--experimental-json',
      '-s',
      'read-only',
      ...flags,
      'resume',
      id,
      'two',
      '--image',
      image,
      '-m',
      'gpt-5.5',
    ]);
    expect(result.code).toBe(0);
    expect(threadOf(result)).toMatchObject({ thread_id: id, sandbox_mode: 'read-only', model: 'gpt-5.5' });
    expect(at.talk(1).at(-1)).toBe(`user: <image name=[Image #1] path="${image}">|(image)|</image>|two`);
  });

  test('counts what the whole session has used', async () => {
    const at = await stand([
      { text: 'First.', usage: { input: 7, output: 2 } },
      { text: 'Second.', usage: { input: 10, output: 1 } },
    ]);
    const id = await firstTurn(at);
    const end = eventsOf(await at.run(['exec', '--json', 'resume', id, 'two'])).at(-1);
    expect(end).toMatchObject({
      type: 'turn.completed',
      usage: { input_tokens: 17, output_tokens: 3 },
      turn_usage: { input_tokens: 10, output_tokens: 1 },
    });
  });

  test('with --last means the last of this folder, or of that of -C, and with --all of any', async () => {
    const at = await stand([{ text: 'Here.' }, { text: 'There.' }, { text: '1' }, { text: '2' }, { text: '3' }]);
    const there = tempFolder();
    const here = await firstTurn(at);
    const other = threadOf(await at.run(['exec', '--json', 'one'], { cwd: there })).thread_id;
    const resume = async (...args: readonly string[]): Promise<string> =>
      threadOf(await at.run(['exec', '--json', 'resume', '--last', 'two', ...args])).thread_id;
    expect(await resume('--all')).toBe(other);
    expect(await resume()).toBe(here);
    expect(await resume('-C', there)).toBe(other);
  });

  test('goes on in the folder of the session, and says so', async () => {
    const at = await stand(TWO);
    const id = await firstTurn(at);
    const elsewhere = tempFolder();
    const result = await at.run(['exec', '--json', 'resume', id, 'two'], { cwd: elsewhere });
    expect(threadOf(result).cwd).toBe(at.cwd);
    expect(result.stderr).toContain(`tenon: going on in ${at.cwd}, the folder of the session\n`);
  });

  test('goes on in another folder that -C names', async () => {
    const at = await stand(TWO);
    const id = await firstTurn(at);
    const elsewhere = tempFolder();
    const result = await at.run(['exec', '--json', 'resume', id, 'two', '--cd', elsewhere]);
    expect(threadOf(result).cwd).toBe(elsewhere);
    expect(result.stderr).not.toContain('going on in');
    expect(at.model.requests[1]?.bodyText).toContain(elsewhere);
  });

  test('with --ephemeral goes on, and leaves the session as it was', async () => {
    const at = await stand(TWO);
    const id = await firstTurn(at);
    const before = at.linesOf(id);
    expect(await at.run(['exec', 'resume', '--ephemeral', id, 'two'])).toMatchObject({ code: 0, stdout: 'Second.\n' });
    expect(at.talk(1)).toEqual(ALL_SAID);
    expect(at.linesOf(id)).toEqual(before);
    expect(at.kept()).toEqual([id]);
  });
});

describe('what is wrong is told before the model is asked, with exit code 2:', () => {
  type Row = readonly [args: readonly string[], message: RegExp];

  const WRONG_WORDS: readonly Row[] = [
    [['exec', 'resume', 'nobody', 'two'], /there is no session "nobody"/],
    [['exec', 'resume', '../../etc/passwd', 'two'], /there is no session/],
    [['exec', 'resume'], /which session\? Pass its id/],
    [['resume'], /which session\? Pass its id/],
    [['exec', 'resume', '--last', 'a', 'b'], /--last names the session already/],
    [['exec', 'resume', '--last', 'a', '-C', 'gone'], /--cd gone: there is no such folder/],
    [['exec', 'resume', '--last', 'a', '--lsat'], /unknown option '--lsat'/],
    [['fork', '--last', '--turns', '0'], /--turns 0: how many is a number from 1 on/],
    [['fork', '--last', '--turns', '9'], /cannot be copied up to turn 9/],
    [['exec', 'fork', '--last', 'x', '--ephemeral'], /a fork is kept/],
    [['exec', 'x', '--record', 'a.txt'], /a\.txt/],
    [['sessions', 'show', 'nobody'], /there is no session "nobody"/],
    [['sessions', 'list', '--since', 'soon'], /--since soon: write it as/],
    [['sessions', 'list', '-n', 'many'], /--number many/],
    [['sessions', 'rm'], /name the sessions to remove, or pass --older-than/],
    [['sessions', 'rm', '--older-than', '0m'], /1 session would be removed: pass --yes/],
    [['sessions', 'export', 'x', '--format', 'pdf'], /Allowed choices are jsonl, md/],
  ];

  test('words and flags that do not fit', async () => {
    const at = await stand([{ text: 'First.' }]);
    writeFileSync(path.join(at.cwd, 'a.txt'), 'alpha\n');
    await firstTurn(at);
    const results = await Promise.all(WRONG_WORDS.map(([args]) => at.run(args)));
    expect(results.map(({ code, stdout }) => ({ code, stdout }))).toEqual(
      WRONG_WORDS.map(() => ({ code: 2, stdout: '' })),
    );
    for (const [index, [, message]] of WRONG_WORDS.entries()) expect(results[index]?.stderr).toMatch(message);
    expect(at.model.requests.length).toBe(1);
  });

  const FOUND_LATE: readonly Row[] = [
    [['exec', 'resume', '--last'], /the last turn of session \S+ is over\. Say what comes next: tenon resume /],
    [['resume', '--last'], /the last turn of session \S+ is over/],
    [['exec', 'resume', '--last', 'a', '--output-schema', 'none'], /--output-schema none cannot be read/],
    [['exec', 'resume', '--last', 'a', '-c', 'model_provider=nobody'], /nobody/],
    [['exec', 'resume', '--last', 'a', '--record', 'no/where'], /no\/where/],
    [['exec', 'fork', '--last', 'a', '-m', ''], /has no usual model/],
  ];

  test('what shows only when the session is open, and it stays as it was', async () => {
    const at = await stand([{ text: 'First.' }]);
    const id = await firstTurn(at);
    const before = at.linesOf(id);
    for (const [args, message] of FOUND_LATE) {
      const { code, stdout, stderr } = await at.run(args);
      expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' });
      expect(stderr).toMatch(message);
    }
    expect(at.model.requests.length).toBe(1);
    expect(at.kept()).toEqual([id]);
    expect(at.linesOf(id)).toEqual(before);
  });

  test('a beginning of two ids, which are named', async () => {
    const at = await stand(TWO);
    const ids = [await firstTurn(at), await firstTurn(at)];
    const { code, stderr } = await at.run(['exec', 'resume', ids[0]?.slice(0, 4) ?? '', 'x']);
    expect(code).toBe(2);
    for (const id of ids) expect(stderr).toContain(id);
  });

  test.each([
    ['has no folder in its place', path.join(import.meta.filename, 'below')],
    ['can be no folder', '/project/\0'],
    ['is longer than any', `/${'long'.repeat(2000)}`],
    ['is another one each time', '.'],
  ])('a folder that %s', async (_, folder) => {
    const at = await stand(TWO);
    const id = await firstTurn(at);
    const [first = '', ...rest] = readFileSync(at.fileOf(id), 'utf8').split('\n');
    writeFileSync(at.fileOf(id), [JSON.stringify({ ...JSON.parse(first), cwd: folder }), ...rest].join('\n'));
    for (const args of [
      ['exec', 'resume', id, 'two'],
      ['fork', id],
    ]) {
      const { code, stderr } = await at.run(args);
      expect({ code, isTold: /the folder of the session, .*, is gone/.test(stderr) }).toEqual({
        code: 2,
        isTold: true,
      });
    }
    expect((await at.run(['exec', 'resume', id, 'two', '-C', at.cwd])).code).toBe(0);
  });

  test('a folder that is gone, unless another is named', async () => {
    const at = await stand(TWO);
    const folder = path.join(tempFolder(), 'project');
    mkdirSync(folder);
    const id = await firstTurn(at, ['-C', folder]);
    rmSync(folder, { recursive: true });
    for (const word of ['resume', 'fork']) {
      const { code, stderr } = await at.run(['exec', word, id, 'two']);
      expect(code).toBe(2);
      expect(stderr).toContain(`the folder of the session, ${folder}, is gone: pass the one to go on in with -C`);
    }
    expect(await at.run(['exec', 'resume', id, 'two', '-C', at.cwd])).toMatchObject({ code: 0, stdout: 'Second.\n' });
  });

  test('a file that is damaged, of which the turns before can be gone on with', async () => {
    const at = await stand([...TWO, { text: 'Third.' }]);
    const id = await firstTurn(at);
    await at.run(['exec', 'resume', id, 'two']);
    const lines = at.linesOf(id).map((line) => JSON.stringify(line));
    const second = at.linesOf(id).findLastIndex(({ type }) => type === 'turn.started');
    writeFileSync(at.fileOf(id), `${lines.toSpliced(second + 1, 1, '{"type":"entry.sa').join('\n')}\n`);
    const { code, stderr } = await at.run(['exec', 'resume', id, 'three']);
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`${id}.*${second + 2}.*tenon fork ${id} --turns 1`, 's'));
    expect(await at.run(['exec', 'fork', id, '--turns', '1', 'three'])).toMatchObject({ code: 0, stdout: 'Third.\n' });
    expect(at.talk(2)).toEqual(['user: one', 'assistant: First.', 'user: three']);
  });

  test('settings that cannot be understood', async () => {
    const at = await stand(TWO);
    const id = await firstTurn(at);
    writeFileSync(at.fileOf(id), readFileSync(at.fileOf(id), 'utf8').replace('"said":{}', '"said":1'));
    const { code, stderr } = await at.run(['exec', 'resume', id, 'two']);
    expect(code).toBe(2);
    expect(stderr).toContain("the session's settings cannot be understood");
    expect(at.model.requests.length).toBe(1);
  });
});
