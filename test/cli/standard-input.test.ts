import { spawn } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

import { PROGRAM } from '../support/cli.js';
import { tempFolder } from '../support/temp-folder.js';

/** What the program says when its standard input is this file, not a pipe. */
async function runWith(file: string): Promise<{ readonly code: number | null; readonly said: string }> {
  const input = openSync(file, 'r');
  const child = spawn(process.execPath, [PROGRAM, 'call', 'update_plan', '-'], { stdio: [input, 'pipe', 'pipe'] });
  closeSync(input);
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, said: Buffer.concat(chunks).toString() };
}

function fileWith(content: string | Buffer): string {
  const file = path.join(tempFolder(), 'input');
  writeFileSync(file, content);
  return file;
}

test('a file is read to its end', async () => {
  const steps = Array.from({ length: 5_000 }, (_, index) => ({ step: `step ${index}`, status: 'pending' }));
  expect(await runWith(fileWith(JSON.stringify({ plan: steps })))).toEqual({ code: 0, said: 'Plan updated' });
  const unfinished = JSON.stringify({ plan: steps }).slice(0, -1);
  expect((await runWith(fileWith(unfinished))).said).toMatch(/^failed to parse function arguments: invalid JSON/);
});

test('nothing is no text', async () => {
  expect((await runWith('/dev/null')).said).toMatch(/^failed to parse function arguments: missing field `plan`/);
});

test('a file that is no text is refused', async () => {
  expect(await runWith(fileWith(Buffer.from([0x7b, 0xff, 0x7d])))).toEqual({
    code: 2,
    said: 'tenon: standard input is not UTF-8 text\n',
  });
});
