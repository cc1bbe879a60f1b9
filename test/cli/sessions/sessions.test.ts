import { readFileSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import type { SessionSummary } from '../../../src/index.js';
import { tempFolder } from '../../support/temp-folder.js';
import { FULL, command, firstTurn, stand, threadOf } from './stand.js';
import type { Stand } from './stand.js';

const TALK = Array.from({ length: 5 }, (_, index) => ({ text: `Answer ${index}.` }));

async function listed({ run }: Stand, args: readonly string[] = []): Promise<readonly SessionSummary[]> {
  const { stdout } = await run(['sessions', 'list', '--json', ...args]);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as SessionSummary);
}

async function idsIn(at: Stand, args: readonly string[] = []): Promise<readonly string[]> {
  return (await listed(at, args)).map(({ id }) => id);
}

/** As if it had last been used then. */
function used({ fileOf }: Stand, id: string, time: string): void {
  utimesSync(fileOf(id), new Date(time), new Date(time));
}

describe('tenon sessions list', () => {
  test('shows the sessions of this folder, the last used first, or of another, or all', async () => {
    const at = await stand(TALK);
    const there = tempFolder();
    const [first, second] = [await firstTurn(at), await firstTurn(at)];
    const other = threadOf(await at.run(['exec', '--json', 'one'], { cwd: there })).thread_id;
    expect(await idsIn(at)).toEqual([second, first]);
    expect(await idsIn(at, ['-C', there])).toEqual([other]);
    expect(await idsIn(at, ['--all'])).toEqual([other, second, first]);
    expect(await idsIn(at, ['--all', '-n', '2'])).toEqual([other, second]);
    const { stdout } = await at.run(['sessions', 'ls', '--all']);
    expect(stdout.split('\n').map((line) => line.replace(/ +/g, ' '))).toEqual([
      'ID LAST USED TURNS STATUS MODEL SESSION',
      expect.stringMatching(/^[\da-f-]{13,} \S+ \S+ 1 completed scripted-model one \(/),
      expect.stringContaining(` one (${at.cwd})`),
      expect.stringContaining(` one (${at.cwd})`),
      '',
    ]);
    for (const short of stdout
      .split('\n')
      .slice(1, -1)
      .map((line) => line.split(' ')[0] ?? ''))
      expect((await at.run(['sessions', 'show', short])).code).toBe(0);
  });

  test('by when they were used', async () => {
    const at = await stand(TALK);
    const [first, second] = [await firstTurn(at), await firstTurn(at)];
    used(at, first, '2020-01-31T12:00:00Z');
    used(at, second, '2020-02-01T12:00:00Z');
    expect(await idsIn(at, ['--since', '2020-02-01'])).toEqual([second]);
    expect(await idsIn(at, ['--until', '2020-02-01'])).toEqual([first]);
    expect(await idsIn(at, ['--since', '2020-01-31T12:00Z', '--until', '2020-02-01T12:00:01Z'])).toEqual([
      second,
      first,
    ]);
    const third = await firstTurn(at);
    expect(await idsIn(at, ['--since', '1h'])).toEqual([third]);
  });

  test('says so when there is none', async () => {
    const at = await stand([]);
    expect((await at.run(['sessions', 'list'])).stdout).toBe('No session of this folder is kept; --all shows all.\n');
    expect((await at.run(['sessions', 'list', '--all'])).stdout).toBe('No session is kept.\n');
    expect((await at.run(['sessions', 'list', '--json'])).stdout).toBe('');
  });
});

test('a session can be shown and exported, as it was kept and for people', async () => {
  const at = await stand([{ text: 'I look.', calls: [command('echo \u001b[2J; exit 3')] }, { text: 'Done.' }]);
  const id = await firstTurn(at, FULL);
  const kept = readFileSync(at.fileOf(id), 'utf8');
  expect((await at.run(['sessions', 'show', id, '--json'])).stdout).toBe(kept);
  expect((await at.run(['sessions', 'export', id])).stdout).toBe(kept);
  expect(await at.run(['sessions', 'export', id, '-o', 'out.md', '--format', 'md'])).toMatchObject({
    code: 0,
    stdout: '',
  });
  const markdown = readFileSync(path.join(at.cwd, 'out.md'), 'utf8');
  expect(markdown).toMatch(/^# one\n[^]*\*\*Call\*\* `exec_command`\n[^]*\*\*Tenon\*\*\n\nDone\.\n$/);
  const { stdout } = await at.run(['sessions', 'show', id]);
  expect(stdout).toMatch(
    /^session: \S+\nfolder: [^]*\nyou\n {2}one\ntenon\n {2}I look\.\ncalled exec_command [^]*Done\.\n$/,
  );
  expect(stdout).toContain('Process exited with code 3');
  expect(stdout).not.toContain('\u001b');
});

test('the last session of a folder can be shown and exported without its name', async () => {
  const at = await stand([{ text: 'First.' }, { text: 'Second.' }]);
  const there = tempFolder();
  const here = await firstTurn(at);
  const other = threadOf(await at.run(['exec', '--json', 'one'], { cwd: there })).thread_id;
  const exported = async (...args: readonly string[]): Promise<string> =>
    (await at.run(['sessions', 'export', '--last', ...args])).stdout;
  expect(await exported()).toBe(readFileSync(at.fileOf(here), 'utf8'));
  expect(await exported('-C', there)).toBe(readFileSync(at.fileOf(other), 'utf8'));
  expect(await exported('--all')).toBe(await exported('-C', there));
  expect((await at.run(['sessions', 'show', '--last'])).stdout).toContain(here);
  for (const args of [['show'], ['export'], ['show', here, '--last']]) {
    expect(await at.run(['sessions', ...args])).toMatchObject({ code: 2, stdout: '' });
  }
});

test('a session can be named, and its name is its own', async () => {
  const at = await stand(TALK);
  const [first, second] = [await firstTurn(at), await firstTurn(at)];
  expect(await at.run(['sessions', 'rename', first, 'nightly'])).toMatchObject({
    code: 0,
    stdout: `${first} is now called nightly\n`,
  });
  expect((await listed(at)).map(({ id, name }) => [id, name])).toEqual([
    [first, 'nightly'],
    [second, undefined],
  ]);
  await at.run(['sessions', 'name', second, 'nightly']);
  const both = await at.run(['sessions', 'show', 'nightly']);
  expect(both.code).toBe(2);
  expect(both.stderr).toContain(first);
  expect((await at.run(['sessions', 'name', first, 'a\u001b[2J'])).code).toBe(2);
});

describe('tenon sessions rm', () => {
  test('removes those that are named, or none when one of them is not there', async () => {
    const at = await stand(TALK);
    const [first, second, third] = [await firstTurn(at), await firstTurn(at), await firstTurn(at)];
    expect((await at.run(['sessions', 'rm', first, 'nobody'])).code).toBe(2);
    expect(at.kept()).toEqual([first, second, third].toSorted());
    const { code, stdout } = await at.run(['sessions', 'delete', first, second]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `removed ${first}\nremoved ${second}\n` });
    expect(at.kept()).toEqual([third]);
  });

  test('removes those that were not used for long', async () => {
    const at = await stand(TALK);
    const there = tempFolder();
    const [old, recent] = [await firstTurn(at), await firstTurn(at)];
    const other = threadOf(await at.run(['exec', '--json', 'one'], { cwd: there })).thread_id;
    for (const id of [old, other]) used(at, id, '2020-01-31T12:00:00Z');
    expect((await at.run(['sessions', 'rm', '--older-than', '2020-01-31'])).stdout).toBe('No session is that old.\n');
    const unsure = await at.run(['sessions', 'rm', '--older-than', '2020-02-01', '--all']);
    expect(unsure).toMatchObject({ code: 2, stderr: 'tenon: 2 sessions would be removed: pass --yes to do so\n' });
    expect((await at.run(['sessions', 'rm', '--older-than', '2020-02-01', '--yes'])).stdout).toBe(`removed ${old}\n`);
    expect(at.kept()).toEqual([recent, other].toSorted());
  });
});
