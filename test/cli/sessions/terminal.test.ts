import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

import { PROGRAM, finished } from '../../support/cli.js';
import { KEY, command, firstTurn, stand } from './stand.js';
import type { Stand } from './stand.js';

type Screen = { readonly code: number | null; readonly screen: string };

/** Runs the program at a terminal, where each of these questions gets its answer. */
async function atTerminal(at: Stand, args: string, answers: Readonly<Record<string, string>>): Promise<Screen> {
  const child = spawn('script', ['-qec', `exec "${process.execPath}" "${PROGRAM}" ${args}`, '/dev/null'], {
    cwd: at.cwd,
    env: { ...process.env, SCRIPTED_KEY: KEY, TENON_HOME: at.home, NO_COLOR: '', TERM: 'xterm' },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const open = new Map(Object.entries(answers));
  let heard = '';
  child.stdout.on('data', (chunk: Buffer) => {
    heard += chunk.toString();
    for (const [question, answer] of open) {
      if (!heard.includes(question)) continue;
      open.delete(question);
      child.stdin.write(`${answer}\r`);
    }
  });
  const { code, stdout } = await finished(child);
  expect([...open.keys()]).toEqual([]);
  return { code, screen: stdout.replaceAll('\r', '') };
}

test('without a session, those of this folder are offered by number', async () => {
  const at = await stand([{ text: 'First.' }, { text: 'Second.' }]);
  const [older] = [await firstTurn(at), await firstTurn(at)];
  const { code, screen } = await atTerminal(at, 'fork', { 'Which one? 1 to 2: ': '2' });
  expect(code).toBe(0);
  expect(screen).toMatch(/^ +ID +LAST USED .*\n1 .* one\n2 .* one\n/m);
  expect(screen).toContain(`forked from ${older}; `);
  const nothing = await atTerminal(at, 'resume', { 'Which one? 1 to 3: ': '' });
  expect(nothing.code).toBe(2);
  expect(nothing.screen).toContain('tenon: no session was chosen\n');
});

test('a session that is chosen without a prompt says what is needed', async () => {
  const at = await stand([{ text: 'First.' }]);
  const id = await firstTurn(at);
  const { code, screen } = await atTerminal(at, 'resume', { 'Which one? 1 to 1: ': '1' });
  expect(code).toBe(2);
  expect(screen).toContain(`the last turn of session ${id} is over. Say what comes next: tenon resume ${id} 'PROMPT'`);
});

test('people are asked when they resume, also where nobody was before', async () => {
  const at = await stand([{ text: 'First.' }, { calls: [command('touch new')] }, { text: 'Done.\u001b[31m' }]);
  await firstTurn(at, ['-a', 'untrusted']);
  const { code, screen } = await atTerminal(at, 'resume --last go', { '[a]bort: ': 'y' });
  expect(code).toBe(0);
  expect(screen).toMatch(/approval:\S* untrusted\n[^]*\nDone\.\\u\{1b\}\[31m\n$/);
  expect(existsSync(path.join(at.cwd, 'new'))).toBe(true);
});

test('what was said in a session is shown, and not obeyed, also as it was kept', async () => {
  const at = await stand([{ text: 'Over\u009b2J\u202e.' }]);
  const id = await firstTurn(at);
  for (const args of [`sessions show ${id}`, `sessions show ${id} --json`, `sessions export ${id} --format md`]) {
    const { screen } = await atTerminal(at, args, {});
    expect(screen).toContain(String.raw`Over\u{9b}2J\u{202e}.`);
    expect(screen).not.toMatch(/[\u009b\u202e]/);
  }
  // Our own words may have colours.
  expect((await atTerminal(at, `sessions show ${id}`, {})).screen).toContain('\u001b[1mtenon\u001b[0m\n');
});

test('what is old is removed after a yes, and after no other word', async () => {
  const at = await stand([{ text: 'First.' }]);
  const id = await firstTurn(at);
  const ask = 'Remove 1 session? [y]es, [n]o: ';
  const refused = await atTerminal(at, 'sessions rm --older-than 0m', { [ask]: 'no' });
  expect({ kept: at.kept(), screen: refused.screen }).toMatchObject({ kept: [id] });
  expect(refused.screen).toContain('Nothing was removed.\n');
  const { screen } = await atTerminal(at, 'sessions rm --older-than 0m', { [ask]: 'y' });
  expect({ kept: at.kept(), screen }).toMatchObject({ kept: [], screen: expect.stringContaining(`removed ${id}\n`) });
});
