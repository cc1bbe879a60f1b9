import { spawn } from 'node:child_process';
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { safeParse } from 'zod/mini';

import { sessionLineSchema } from '../../../src/core/session-schema.js';
import { PROGRAM, finished } from '../../support/cli.js';
import { tempFolder } from '../../support/temp-folder.js';
import { FULL, KEY, command, firstTurn, stand } from './stand.js';

const TWO = [{ text: 'First.' }, { text: 'Second.' }];

test('a run is kept, for the user alone, in lines that fit the schema', async () => {
  const at = await stand([{ calls: [command('echo hi')] }, { text: 'Done.' }]);
  const id = await firstTurn(at, FULL);
  const lines = at.linesOf(id);
  expect(lines.flatMap((line) => safeParse(sessionLineSchema, line).error?.issues ?? [])).toEqual([]);
  expect(lines[0]).toMatchObject({ type: 'session.created', id, cwd: at.cwd });
  expect(lines.at(-1)).toMatchObject({ type: 'turn.finished', status: 'completed', message: 'Done.' });
  expect(statSync(at.fileOf(id)).mode & 0o777).toBe(0o600);
  expect(statSync(path.dirname(at.fileOf(id))).mode & 0o777).toBe(0o700);
});

test('what fails before anything is said is not kept', async () => {
  const at = await stand([]);
  expect((await at.run(['exec', 'x', '-c', 'model_provider=nobody'])).code).toBe(2);
  expect((await at.run(['exec', 'x'], { env: { SCRIPTED_KEY: '' } })).code).toBe(2);
  expect(at.kept()).toEqual([]);
});

test('--ephemeral keeps nothing', async () => {
  const at = await stand(TWO);
  const before = readdirSync(at.home).filter((name) => name !== 'cache');
  expect(await at.run(['exec', 'one', '--ephemeral'])).toMatchObject({ code: 0, stdout: 'First.\n' });
  expect(readdirSync(at.home).filter((name) => name !== 'cache')).toEqual(before);
});

test('that nothing can be kept is told before the model is asked, and what can be done', async () => {
  const at = await stand(TWO);
  writeFileSync(path.join(at.home, 'sessions'), '');
  const { code, stderr } = await at.run(['exec', 'one']);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^failed: no session can be kept in \S+: ENOTDIR.* To keep nothing, pass --ephemeral$/m);
  expect(at.model.requests).toEqual([]);
  expect((await at.run(['exec', 'one', '--ephemeral'])).code).toBe(0);
});

test('a disk on which not a byte can be written is told of, and keeps no empty session', async () => {
  const at = await stand(TWO);
  const program = [process.execPath, PROGRAM, 'exec', 'one'].map((word) => `'${word}'`).join(' ');
  const child = spawn('bash', ['-c', `trap '' XFSZ; ulimit -f 0; exec ${program}`], {
    cwd: at.cwd,
    env: { ...process.env, TENON_HOME: at.home, SCRIPTED_KEY: KEY },
  });
  child.stdin.end();
  const { code, stderr } = await finished(child);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^failed: no session can be kept in \S+: .*EFBIG.* To keep nothing, pass --ephemeral$/m);
  expect(at.kept()).toEqual([]);
});

test('a run that is kept loads no heavier parts of Node than one that is not', async () => {
  const at = await stand([...TWO, ...TWO]);
  const [list, preload] = [path.join(at.cwd, 'loaded.json'), path.join(at.cwd, 'preload.cjs')];
  const write = `require('fs').writeFileSync(${JSON.stringify(list)}, JSON.stringify(process.moduleLoadList))`;
  writeFileSync(preload, `process.on('exit', () => ${write});`);
  const loadedBy = async (args: readonly string[]): Promise<readonly string[]> => {
    const flags = ['-s', 'read-only', '-c', 'features.undo=false'];
    const { code } = await at.run(['exec', 'one', ...flags, ...args], {
      env: { NODE_OPTIONS: `--require ${preload}` },
    });
    expect(code).toBe(0);
    const heavy = /^NativeModule (?:child_process|crypto|internal\/fs\/promises|readline|tls|worker_threads|zlib)$/;
    return (JSON.parse(readFileSync(list, 'utf8')) as string[]).filter((name) => heavy.test(name));
  };
  expect(await loadedBy([])).toEqual(await loadedBy(['--ephemeral']));
});

describe('--record', () => {
  test('writes the same lines to a file, which counts from where the program was started', async () => {
    const at = await stand(TWO);
    const workspace = tempFolder();
    const id = await firstTurn(at, ['--record', 'run.jsonl', '-C', workspace]);
    const recorded = readFileSync(path.join(at.cwd, 'run.jsonl'), 'utf8').trimEnd().split('\n');
    const withoutTime = (line: object): object => ({ ...line, at: undefined });
    expect(recorded.map((line) => withoutTime(JSON.parse(line) as object))).toEqual(at.linesOf(id).map(withoutTime));
  });

  test('takes an empty file, and goes with --ephemeral', async () => {
    const at = await stand(TWO);
    const file = path.join(at.cwd, 'run.jsonl');
    writeFileSync(file, '');
    expect((await at.run(['exec', 'one', '--ephemeral', '--record', 'run.jsonl'])).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toMatch(/^\{"type":"session\.created"[^]*"type":"turn\.finished"[^]*\n$/);
    expect(at.kept()).toEqual([]);
  });

  test('has what was said before, when a session goes on', async () => {
    const at = await stand(TWO);
    const id = await firstTurn(at);
    expect((await at.run(['exec', 'resume', id, 'two', '--record', 'run.jsonl'])).code).toBe(0);
    const recorded = readFileSync(path.join(at.cwd, 'run.jsonl'), 'utf8').trimEnd().split('\n');
    const types = recorded.map((line) => (JSON.parse(line) as { type: string }).type);
    expect(types).toEqual(at.linesOf(id).map(({ type }) => type));
  });

  test('leaves no file when the session does not go on', async () => {
    const at = await stand(TWO);
    const id = await firstTurn(at);
    expect((await at.run(['exec', 'resume', id, '--record', 'run.jsonl'])).code).toBe(2);
    expect(readdirSync(at.cwd)).toEqual([]);
  });

  test('to a folder that is not there is refused before the model is asked', async () => {
    const at = await stand(TWO);
    const { code, stderr } = await at.run(['exec', 'one', '--record', 'nowhere/run.jsonl']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/run\.jsonl: there is no folder \S*nowhere\n/);
    expect(at.model.requests).toEqual([]);
  });

  test('of a file that holds something is refused before the model is asked', async () => {
    const at = await stand(TWO);
    writeFileSync(path.join(at.cwd, 'notes'), 'mine');
    const { code, stderr } = await at.run(['exec', 'one', '--record', 'notes']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/there is something in \S*notes already/);
    expect(readFileSync(path.join(at.cwd, 'notes'), 'utf8')).toBe('mine');
    expect(at.model.requests).toEqual([]);
  });
});
