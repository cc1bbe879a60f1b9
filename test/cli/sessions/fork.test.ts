import { realpathSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

import { tempFolder } from '../../support/temp-folder.js';
import { firstTurn, stand, threadOf } from './stand.js';
import type { Stand } from './stand.js';

const TALK = [{ text: 'First.' }, { text: 'Second.' }, { text: 'Third.' }, { text: 'Fourth.' }];

/** A session of two turns. */
async function twoTurns(at: Stand): Promise<string> {
  const id = await firstTurn(at, ['-s', 'read-only', '-m', 'model-a']);
  await at.run(['exec', 'resume', id, 'two']);
  return id;
}

describe('tenon fork', () => {
  test('begins a new session with what was said in another, which stays as it is', async () => {
    const at = await stand(TALK);
    const id = await twoTurns(at);
    const before = at.linesOf(id);
    const fork = threadOf(await at.run(['exec', '--json', 'fork', '--last', 'three']));
    expect(fork).toMatchObject({ cwd: at.cwd, model: 'model-a', sandbox_mode: 'read-only' });
    expect(at.talk(2)).toEqual(['user: one', 'assistant: First.', 'user: two', 'assistant: Second.', 'user: three']);
    expect(at.kept()).toEqual([id, fork.thread_id].toSorted());
    expect(at.linesOf(id)).toEqual(before);
    expect(at.linesOf(fork.thread_id)[0]).toMatchObject({ id: fork.thread_id, forkedFrom: { id, turns: 2 } });
  });

  test('takes only the first turns, when it is told to', async () => {
    const at = await stand(TALK);
    const id = await twoTurns(at);
    expect(await at.run(['fork', id.slice(0, 13), 'instead', '--turns', '1'])).toMatchObject({
      code: 0,
      stdout: 'Third.\n',
    });
    expect(at.talk(2)).toEqual(['user: one', 'assistant: First.', 'user: instead']);
  });

  test('without a prompt prints the new id, and how to go on', async () => {
    const at = await stand(TALK);
    const id = await twoTurns(at);
    const { code, stdout, stderr } = await at.run(['fork', id]);
    const fork = stdout.trimEnd();
    expect(code).toBe(0);
    expect(at.kept()).toEqual([id, fork].toSorted());
    expect(stderr).toBe(`tenon: forked from ${id}; go on with: tenon resume ${fork} 'PROMPT'\n`);
    expect(at.model.requests.length).toBe(2);
    expect(await at.run(['resume', fork, 'three'])).toMatchObject({ code: 0, stdout: 'Third.\n' });
    expect(at.talk(2).at(0)).toBe('user: one');

    const json = await at.run(['exec', 'fork', id, '--json']);
    expect(JSON.parse(json.stdout)).toEqual({ thread_id: expect.any(String), forked_from: id });
  });

  test('takes the prompt from standard input, when it is told to', async () => {
    const at = await stand(TALK);
    await firstTurn(at);
    expect(await at.run(['exec', 'fork', '--last', '-'], { stdin: 'piped' })).toMatchObject({ stdout: 'Second.\n' });
    expect(at.talk(1).at(-1)).toBe('user: piped');
  });

  test('may go on in another folder, and then belongs to it', async () => {
    const at = await stand(TALK);
    const id = await firstTurn(at);
    const other = tempFolder();
    const fork = threadOf(await at.run(['exec', '--json', 'fork', id, 'two', '-C', other]));
    expect(fork.cwd).toBe(other);
    expect(at.linesOf(fork.thread_id)[0]).toMatchObject({ cwd: realpathSync(other) });
    const last = await at.run(['exec', '--json', 'resume', '--last', 'three'], { cwd: other });
    expect(threadOf(last).thread_id).toBe(fork.thread_id);
  });
});
