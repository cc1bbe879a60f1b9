import { spawn } from 'node:child_process';
import { buildSync } from 'esbuild';
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { Fatal } from '../../src/core/errors.js';
import { localFiles } from '../../src/exec/local-files.js';
import { ownMark } from '../../src/store/process-mark.js';
import { PLAIN_USER } from '../sandbox/staging/users.js';
import { tempFolder } from '../support/temp-folder.js';
import { changesOf } from './changes-of.js';
import { forPlainUser, grounds, owner } from './grounds.js';
import type { Grounds, Tree } from './grounds.js';

const BEFORE: Tree = { a: 'old a', 'd/b': 'old b', gone: 'old', kind: 'file' };
const TASK = JSON.stringify({
  a: ['old a', 'new a'],
  'd/b': ['old b', 'new b'],
  gone: ['old', null],
  'n/e/w': [null, 'new'],
  kind: ['file', null],
  'kind/x': [null, 'x'],
});
const OLD: Tree = { ...BEFORE, d: '/' };
const NEW: Tree = { a: 'new a', d: '/', 'd/b': 'new b', kind: '/', 'kind/x': 'x', n: '/', 'n/e': '/', 'n/e/w': 'new' };

const NEVER = 1_000_000;
const IS_DEEP = process.env['TENON_DEEP'] !== undefined;

describe('a run that was killed while it changed files', () => {
  test('has changed all of them or none once the next run is ready', async () => {
    const program = bundled();
    const { calls } = await run(program, grounds(BEFORE), NEVER, TASK);
    const results = new Set<string>();
    for (const call of sample(calls, 9, calls)) {
      const place = grounds(BEFORE);
      expect(await run(program, place, call, TASK)).toMatchObject({ signal: 'SIGKILL' });
      results.add(await mustBeWhole(place, call));
    }
    expect([...results].toSorted()).toEqual(['new', 'old']);
  });

  test('and then killed again while it put that right, too', async () => {
    const program = bundled();
    const whole = (await run(program, grounds(BEFORE), NEVER, TASK)).calls;
    for (const first of sample(whole, 2, 12)) {
      const trial = grounds(BEFORE);
      await run(program, trial, first, TASK);
      const { calls } = await run(program, trial, NEVER, 'recover');
      for (const second of sample(calls, 2, 12)) {
        const place = grounds(BEFORE);
        await run(program, place, first, TASK);
        await run(program, place, second, 'recover');
        await mustBeWhole(place, `${first}, then ${second}`);
      }
    }
  });
});

async function mustBeWhole(place: Grounds, call: number | string): Promise<string> {
  await place.log.ready();
  const tree = place.tree();
  const which = tree['a'] === OLD['a'] ? 'old' : 'new';
  expect({ call, tree }).toEqual({ call, tree: which === 'old' ? OLD : NEW });
  expect(place.entries().filter((name) => !name.endsWith('.change'))).toEqual([]);
  if (which === 'new') {
    expect(await place.log.undo()).toMatchObject({ kind: 'undone' });
    expect(place.tree()).toEqual(OLD);
  }
  return which;
}

describe('what is left of a process that is gone', () => {
  test('is told of: what was put back, and what was complete', async () => {
    const place = grounds({ a: '0', b: '0' });
    const id = await cutShort(place, { a: ['0', '1'], b: ['0', '1'] }, { a: '0' });
    await place.another().ready();
    expect(place.tree()).toEqual({ a: '0', b: '0' });
    expect(place.events.at(-1)).toEqual({ type: 'changes.recovered', id, result: 'put-back', paths: [place.at('b')] });
    const whole = await cutShort(place, { a: ['0', '1'] }, {});
    await place.another().ready();
    expect(place.events.at(-1)).toEqual({
      type: 'changes.recovered',
      id: whole,
      result: 'completed',
      paths: [place.at('a')],
    });
    expect(await place.log.undo()).toMatchObject({ kind: 'undone' });
    expect(place.tree()).toEqual({ a: '0', b: '0' });
  });

  test('does not take along what somebody else has changed since; that is kept and told', async () => {
    const place = grounds({ a: '0', b: '0', c: '0' });
    const id = await cutShort(place, { a: ['0', '1'], b: ['0', '1'], c: ['0', '1'] }, { a: '0', b: 'by hand' });
    const log = place.another();
    await log.ready();
    expect(place.tree()).toEqual({ a: '0', b: 'by hand', c: '0' });
    expect(place.events.at(-1)).toEqual({ type: 'changes.recovered', id, result: 'left', paths: [place.at('b')] });
    expect(place.entries()).toEqual([expect.stringMatching(/\.conflict$/)]);
    expect(await log.list()).toMatchObject([{ id, uncovered: expect.stringContaining(place.at('b')) }]);
    expect(await log.undo()).toMatchObject({ kind: 'nothing' });
    expect(await log.undo({ call: 'cut' })).toMatchObject({
      kind: 'nothing',
      reason: expect.stringContaining('cut short'),
    });
  });

  test('is left alone as long as the process is there', async () => {
    const place = grounds({ a: '0' });
    await place.change('1', { a: ['0', '1'] });
    const [entry = ''] = place.entries();
    const pending = entry.replace('.change', `@${ownMark()}.pending`);
    renameSync(path.join(place.changes, entry), path.join(place.changes, pending));
    await place.another().ready();
    expect(place.entries()).toEqual([pending]);
  });

  test('is forgotten where it was not written to its end: its change was not begun', async () => {
    const place = grounds({ a: '0', b: '0' });
    const id = await cutShort(place, { a: ['0', '1'] }, { a: '0' });
    const [entry = ''] = place.entries();
    const file = path.join(place.changes, entry);
    writeFileSync(file, readFileSync(file).subarray(0, -1));
    await place.another().ready();
    expect({ id, entries: place.entries(), tree: place.tree() }).toEqual({ id, entries: [], tree: { a: '0', b: '0' } });
  });

  test('is put back also where it was not known what it would come to, and can be made again', async () => {
    const place = grounds({ a: '0', b: '0' });
    let pending = '';
    await place.log.aroundPaths(owner('1'), [place.at('a'), place.at('b')], async () => {
      writeFileSync(place.at('a'), 'half made');
      [pending = ''] = place.entries();
      const gone = pending.replace(/@.*/, `@${GONE}.pending`);
      writeFileSync(path.join(place.changes, gone), readFileSync(path.join(place.changes, pending)));
      await place.another().ready();
      expect(place.tree()).toEqual({ a: '0', b: '0' });
    });
    const log = place.another();
    expect(await log.redo()).toMatchObject({ kind: 'undone' });
    expect(place.tree()).toEqual({ a: 'half made', b: '0' });
  });

  test('and cannot be looked at stops the next change, and nothing before that', async () => {
    const place = grounds();
    await place.change('1', { a: [undefined, 'a'] });
    const [entry = ''] = place.entries();
    const folder = path.join(place.changes, path.dirname(entry));
    renameSync(folder, `${folder}.old`);
    writeFileSync(folder, 'in the way');
    const log = place.another();
    await log.ready();
    const files = log.recording(owner('2'), localFiles);
    expect(await files.look(place.at('a'))).toMatchObject({ kind: 'file' });
    const changing = files.change(changesOf(place.at, { a: ['a', 'b'] }));
    await expect(changing).rejects.toThrow(Fatal);
    await expect(changing).rejects.toThrow(/so it was not made: the record of changes cannot be read: ENOTDIR/);
    await expect(log.list()).rejects.toThrow(/cannot be read/);
    expect(place.tree()).toEqual({ a: 'a' });
  });

  test('and cannot be put right stops the next change until it can be', async () => {
    const place = forPlainUser({ a: '0', b: '0' });
    await PLAIN_USER.act(async () => {
      await cutShort(place, { a: ['0', '1'], b: ['0', '1'] }, { a: '0' });
      const folder = path.join(place.changes, path.dirname(place.entries()[0] ?? ''));
      chmodSync(folder, 0o555);
      const log = place.another();
      await log.ready();
      const change = async (): Promise<void> =>
        log.recording(owner('2'), localFiles).change(changesOf(place.at, { c: [undefined, 'c'] }));
      await expect(change()).rejects.toThrow(/a change that was cut short cannot be put right: EACCES/);
      expect(place.tree()).toEqual({ a: '0', b: '1' });
      chmodSync(folder, 0o700);
      await change();
      expect(place.tree()).toEqual({ a: '0', b: '0', c: 'c' });
    });
  });

  test('is put back also where the file may not be written any more', async () => {
    const place = forPlainUser({ a: '0', b: '0' });
    chmodSync(place.at('b'), 0o444);
    await PLAIN_USER.act(async () => {
      await place.command('1', () => {
        writeFileSync(place.at('a'), '1');
        writeFileSync(place.at('c'), '1', { mode: 0o444 });
        renameSync(place.at('c'), place.at('b'));
      });
      const earlier = new Set(place.entries());
      await place.log.undo();
      expect(place.tree()).toEqual({ a: '0', b: '0 444' });
      leave(place, earlier, { a: '1' });
      await place.another().ready();
    });
    expect(place.events.at(-1)).toMatchObject({ result: 'put-back', paths: [place.at('b')] });
    expect(place.tree()).toEqual({ a: '1', b: '1 444' });
  });
});

/** A change as a killed process leaves it: made, but for these. Resolves to its id. */
async function cutShort(place: Grounds, sides: Parameters<Grounds['change']>[1], left: Tree): Promise<string> {
  const earlier = new Set(place.entries());
  await place.change('cut', sides);
  return leave(place, earlier, left);
}

/** The same with the entry that is new. */
function leave(place: Grounds, earlier: ReadonlySet<string>, left: Tree): string {
  for (const [name, content] of Object.entries(left)) writeFileSync(place.at(name), content);
  const entry = place.entries().find((name) => !earlier.has(name)) ?? '';
  renameSync(path.join(place.changes, entry), path.join(place.changes, entry.replace('.change', `@${GONE}.pending`)));
  return path.basename(entry, '.change');
}

/** Numbers of processes do not go that far. */
const GONE = ownMark().replace(/^\d+/, String(2 ** 30));

/** Evenly; more of them in the deep suite. */
function sample(calls: number, few: number, many: number): readonly number[] {
  const all = Array.from({ length: calls }, (_, index) => index + 1);
  const step = Math.max(1, Math.floor(calls / (IS_DEEP ? many : few)));
  return all.filter((call) => call % step === 0);
}

/** The program that is killed, in one file: it starts fast. */
function bundled(): string {
  const outfile = path.join(tempFolder(), 'program.cjs');
  const entry = path.join(import.meta.dirname, 'die-program.ts');
  buildSync({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'cjs', logLevel: 'error' });
  return outfile;
}

type Run = { readonly signal: string | null; readonly calls: number };

/** Killed at this call to the file system, unless it ends before. */
async function run(program: string, { cwd, changes }: Grounds, call: number, task: string): Promise<Run> {
  const preload = path.join(import.meta.dirname, 'die-at-call.cjs');
  const args = ['--require', preload, program, cwd, changes, String(call), task];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve) => child.once('close', (_code, signal) => resolve({ signal, calls: Number(output) })));
}
