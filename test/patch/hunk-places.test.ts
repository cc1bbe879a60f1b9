/** Which place a hunk takes when there are several, and what is said when there is none. */
import { expect, test } from 'vitest';

import { patched, planFor, updateOf } from './planned.js';

const numbered = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join('');

test('the first place after a header is taken, and the header after the hunk before', async () => {
  const file = 'h\nx\nx\nh\nx\n';
  const hunk = ['@@ h', '-x', '+y'];
  expect(await patched(file, updateOf(hunk))).toBe('h\ny\nx\nh\nx\n');
  expect(await patched(file, updateOf([...hunk, ...hunk]))).toBe('h\ny\nx\nh\ny\n');
});

test('only places after the hunk before count as several', async () => {
  const file = 'x\nm\nx\nx\n';
  await expect(patched(file, updateOf(['@@', ' m', '@@', '-x', '+y']))).rejects.toThrow('they occur at lines 3 and 4.');
  expect(await patched('x\nx\nm\nx\n', updateOf(['@@', ' m', '@@', '-x', '+y']))).toBe('x\nx\nm\ny\n');
});

test('several places in the first pass that finds any are too many, and a later pass does not count', async () => {
  await expect(patched('x \nx  \n', updateOf(['@@', '-x', '+y']))).rejects.toThrow('lines 1 and 2');
  expect(await patched('x \n  x\nx\n', updateOf(['@@', '-x', '+y']))).toBe('x \n  x\ny\n');
});

test('the last places of ten are named, and that there are more', async () => {
  await expect(patched('x\n'.repeat(10), updateOf(['@@', '-x', '+y']))).rejects.toThrow('8, 9 and 10. Add');
  await expect(patched('x\n'.repeat(11), updateOf(['@@', '-x', '+y']))).rejects.toThrow('9, 10 and more. Add');
});

test('a hunk out of order needs a single place', async () => {
  const out = ['@@', '-end', '+END', '@@', '-x', '+y'];
  expect(await patched('x\nend\n', updateOf(out))).toBe('y\nEND\n');
  await expect(patched('x\nx\nend\n', updateOf(out))).rejects.toThrow('lines 1 and 2');
});

test('a hunk finds what two hunks before it have left side by side', async () => {
  const patch = updateOf(['@@', '-b', '@@', '-d', '@@', ' a', '-c', '+C', ' e']);
  expect(await patched('a\nb\nc\nd\ne\n', patch)).toBe('a\nC\ne\n');
});

test('line numbers of a diff still hold after lines were put together anew', async () => {
  const first = '@@ -1,1 +1,3 @@\n line 1\n+new\n+newer\n';
  const second = '@@ -1,0 +2,1 @@\n new\n+between\n newer\n';
  const diff = `--- a/a.txt\n+++ b/a.txt\n${first}${second}@@ -5,0 +8,1 @@\n+after five\n`;
  const after = await patched(numbered(7), diff);
  expect(after).toBe('line 1\nnew\nbetween\nnewer\nline 2\nline 3\nline 4\nline 5\nafter five\nline 6\nline 7\n');
});

test('a pass other than the exact one is told with the line of the file', async () => {
  const plan = await planFor(
    Buffer.from(numbered(9).replace('line 8', 'line 8  ')),
    updateOf(['@@', ' line 2', '+new', '@@', '-line 8', '+8']),
  );
  expect(plan.notes).toEqual(['a.txt: hunk 2 matched line 8 with whitespace ignored at line ends']);
});

test('of a long hunk that is nowhere only the lines around the first difference are shown', async () => {
  const hunk = numbered(60)
    .trimEnd()
    .split('\n')
    .map((line) => ` ${line}`);
  hunk[39] = ' line forty';
  const error = await patched(numbered(80), updateOf(['@@', ...hunk, '+new'])).catch((thrown: Error) => thrown.message);
  const help = error.split('\n\n').at(-1)?.split('\n');
  expect(help?.slice(0, 2)).toEqual(['The nearest place is at line 1:', '  37| line 37']);
  expect(help?.slice(-2)).toEqual([
    'line 40 has "line 40" where the patch has "line forty"',
    'Read the file again and write these lines the way they are there.',
  ]);
  expect(help).toHaveLength(15);
});

test('a long line is cut where it is shown', async () => {
  const error = await patched(`key ${'v'.repeat(500)}\nend\n`, updateOf(['@@', '-key', ' end'])).catch(
    (thrown: Error) => thrown.message,
  );
  expect(error).toContain(`  1| key ${'v'.repeat(196)}…\n`);
});

test('a context that stands only before, more than once, is told so', async () => {
  const patch = updateOf(['@@', '-end', '+END', '@@ h', '-x', '+y']);
  await expect(patched('h\nx\nh\nx\nend\n', patch)).rejects.toThrow(
    "Failed to find context 'h' in /w/a.txt\n\nIt occurs before the place of the hunk above it, as at line 1, and more than once. Put the hunks in the order of the file.",
  );
});

test('lines that one hunk took away are not there for the next', async () => {
  const twice = updateOf(['@@', '-x', '+y', '@@', '-x', '+z']);
  await expect(patched('x\nend\n', twice)).rejects.toThrow('Failed to find expected lines in /w/a.txt:\nx\n');
});

test('lines added before a line that an earlier hunk replaced come before the replacement', async () => {
  expect(await patched('a\nb\n', updateOf(['@@', '-b', '+B', '@@', ' a', '+between']))).toBe('a\nbetween\nB\n');
});

test('a hunk that begins with the last lines of the one before is next to it', async () => {
  const patch = updateOf(['@@', '-a', '+A', ' b', '@@', ' b', '-c', '+C']);
  expect(await patched('b\nc\na\nb\nc\n', patch)).toBe('b\nc\nA\nb\nC\n');
});

test('a mark for a missing newline says nothing when the lines are not the last ones', async () => {
  const diff = '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n';
  expect(await patched('a\nb\nmore\n', diff)).toBe('a\nc\nmore\n');
});
