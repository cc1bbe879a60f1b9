import path from 'node:path';
import { expect, test } from 'vitest';

import { startHostProcess } from '../../../src/sandbox/vm/host-process.js';
import { tempFolder } from '../../support/temp-folder.js';

test('what it prints can be waited for', async () => {
  const running = startHostProcess('/bin/sh', ['-c', 'printf "rea"; printf "dy"; exec sleep 600']);
  await running.printed('ready');
  await running.printed('ready');
  running.kill();
  await running.ended;
});

test('when it ends before, its last words are the reason', async () => {
  const running = startHostProcess('/bin/sh', ['-c', 'echo out; printf "\\033[2J\\033[1;1Hpanic\\r\\n" >&2']);
  await expect(running.printed('ready')).rejects.toThrow('panic');
  expect(running.lastLines().split('\n').toSorted()).toEqual(['out', 'panic']);
});

test('what is printed just before the end still counts', async () => {
  const running = startHostProcess('/bin/sh', ['-c', 'echo ready']);
  await running.ended;
  await running.printed('ready');
});

test('a program that is not there has ended, and says so', async () => {
  const running = startHostProcess(path.join(tempFolder(), 'program'), []);
  await running.ended;
  expect(running.lastLines()).toContain('ENOENT');
});

test('only the last lines are kept, and of a long one only its end', async () => {
  const counting = startHostProcess('/bin/sh', ['-c', 'i=0; while [ $i -lt 30 ]; do echo $i; i=$((i+1)); done']);
  await counting.ended;
  expect(counting.lastLines().split('\n')).toEqual(Array.from({ length: 25 }, (_, index) => String(index + 5)));
  const endless = startHostProcess('/bin/sh', ['-c', 'printf "%09000d" 7']);
  await endless.ended;
  expect(endless.lastLines()).toBe('7'.padStart(4000, '0'));
});

test('it gets nothing of the user’s variables', async () => {
  process.env['PERL5OPT'] = '-Mnothing';
  const running = startHostProcess('/bin/sh', ['-c', 'echo "<$PERL5OPT>"']);
  delete process.env['PERL5OPT'];
  await running.ended;
  expect(running.lastLines()).toBe('<>');
});

test('it is left a moment to end by itself, and no more', async () => {
  const quick = startHostProcess('/bin/sh', ['-c', 'echo done']);
  await quick.endSoon();
  expect(quick.lastLines()).toBe('done');
  await startHostProcess('/bin/sleep', ['600']).endSoon();
});
