import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { answersIn } from '../../support/agent.js';
import { finished } from '../../support/cli.js';
import { processGone } from '../../support/process-gone.js';
import { latch } from '../../support/runtime.js';
import { until } from '../../support/until.js';
import { FULL, command, firstTurn, stand, threadOf } from './stand.js';
import type { Stand } from './stand.js';

const CUT = [
  { calls: [command('echo done', 'c1')] },
  { calls: [command('echo $$ > pid; exec sleep 600', 'c2')] },
  { text: 'I see.' },
];

/** A session whose program was killed while a command ran. Resolves to the command's process. */
async function killed(at: Stand): Promise<number> {
  const child = at.start(['exec', '--json', 'run it', ...FULL]);
  child.stdin.end();
  const ended = finished(child);
  const file = path.join(at.cwd, 'pid');
  await until(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'));
  child.kill('SIGKILL');
  await ended;
  return Number(readFileSync(file, 'utf8'));
}

describe('a session whose program was killed while a command ran', () => {
  test('goes on where it was, and the model is told what became of the command', async () => {
    const at = await stand(CUT);
    const pid = await killed(at);
    expect((await at.run(['sessions', 'list', '--json'])).stdout).toContain('"status":"unfinished"');
    const { code, stdout, stderr } = await at.run(['resume', '--last']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'I see.\n' });
    expect(stderr).toContain('tenon: going on with the turn that was cut off\n');
    const [request] = at.model.requests.slice(2);
    const answers = new Map(request ? answersIn(request) : []);
    expect(answers.get('c1')).toContain('done');
    expect(answers.get('c2')).toMatch(/interrupted/i);
    expect(at.talk(2)).toEqual(['user: run it']);
    await processGone(pid);
  });

  test('goes on for scripts too, when there is nothing on standard input', async () => {
    const at = await stand(CUT);
    await killed(at);
    const result = await at.run(['exec', '--json', 'resume', '--last']);
    expect(result.code).toBe(0);
    expect(threadOf(result).thread_id).toBe(at.kept()[0]);
    expect(at.talk(2)).toEqual(['user: run it']);
  });

  test('does not go on where nothing is kept, for it would all be done again', async () => {
    const at = await stand(CUT);
    await killed(at);
    const { code, stderr } = await at.run(['exec', 'resume', '--last', '--ephemeral']);
    expect({ code, asked: at.model.requests.length }).toEqual({ code: 2, asked: 2 });
    expect(stderr).toContain('with --ephemeral a turn that was cut off cannot go on');
    expect((await at.run(['exec', 'resume', '--last', '--ephemeral', 'leave it'])).code).toBe(0);
  });

  test('goes on with what the user says', async () => {
    const at = await stand(CUT);
    await killed(at);
    expect(await at.run(['resume', '--last', 'leave it'])).toMatchObject({ code: 0, stdout: 'I see.\n' });
    expect(at.talk(2).at(-1)).toBe('user: leave it');
  });
});

test('whoever is left without an answer reads how to go on, where there is something to go on with', async () => {
  const refusal = { text: 'Never.', fault: { kind: 'status', status: 400, times: 9 } } as const;
  const at = await stand([refusal]);
  const kept = await at.run(['exec', 'try']);
  expect(kept.code).toBe(1);
  const [, id = ''] = /to go on with this session: tenon resume (\S+) 'PROMPT'\n$/.exec(kept.stderr) ?? [];
  expect((await at.run(['sessions', 'list', '--json'])).stdout).toContain(id);
  expect(id).not.toBe('');
  for (const flag of ['--ephemeral', '--json'])
    expect((await at.run(['exec', flag, 'try'])).stderr).not.toContain('tenon resume');
});

test('a session that is in use can be shown and forked, and is neither opened, named nor removed', async () => {
  const held = latch();
  const at = await stand([{ text: 'First.' }, { text: 'Second.', hold: held.opened }, { text: 'Third.' }]);
  const id = await firstTurn(at);
  const child = at.start(['exec', '--json', 'resume', id, 'two']);
  child.stdin.end();
  const ended = finished(child);
  await at.model.request(1);
  const inUse = new RegExp(`session ${id} is in use by process ${child.pid}`);
  for (const [args, code] of [
    [['exec', 'resume', id, 'x'], 2],
    [['sessions', 'name', id, 'x'], 2],
    [['sessions', 'rm', id], 1],
  ] as const) {
    const result = await at.run(args);
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toMatch(inUse);
  }
  expect((await at.run(['sessions', 'show', id])).stdout).toContain('  two\n');
  expect((await at.run(['exec', 'fork', id, '--turns', '1', 'three'])).stdout).toBe('Third.\n');
  held.open();
  expect((await ended).code).toBe(0);
});
