import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const ROOT = path.join(import.meta.dirname, '..');

test('`npm start` shows an agent at work, what it did, how that is taken back, and a stricter policy', async () => {
  const before = readFileSync(path.join(ROOT, 'examples/night-shift/src/totals.js'), 'utf8');
  const { stdout, stderr } = await run(process.execPath, [path.join(ROOT, 'scripts/start.mjs')]);
  expect(stderr).toBe('');
  const parts = stdout.split(/^\$ /m).slice(1);
  expect(parts.map((part) => part.split('\n', 1)[0])).toEqual([
    'tenon replay ../night-shift.jsonl -C . --no-prompt-check',
    'tenon undo --diff --turn',
    'tenon undo --turn',
    'tenon replay ../night-shift.jsonl -C . --no-prompt-check -s read-only',
  ]);
  const [atWork, diff, undone, strict] = parts;
  expect(atWork).toMatch(/FAILED {3}work that ends after midnight[^]*the same: 1 turn, 8 calls\.\n {2}\(exit code 0\)/);
  expect(diff).toContain('-  return to - from;');
  expect(undone).toContain('changed back   src/totals.js');
  expect(strict).toMatch(/call 6 \(apply_patch\)[^]*rejected by policy[^]*3 differences[^]*To try next/);
  expect(readFileSync(path.join(ROOT, 'examples/night-shift/src/totals.js'), 'utf8')).toBe(before);
});
