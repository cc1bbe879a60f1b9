import { execFileSync } from 'node:child_process';
import { symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { builtinTools, createRuntime } from '../../src/index.js';
import type { RuntimeOptions } from '../../src/index.js';
import { createMemoryWorkspace } from '../../src/testing/index.js';
import { propertyRuns } from '../support/property-runs.js';
import { functionCall, testRuntime, textOf } from '../support/runtime.js';
import { tempFolder } from '../support/temp-folder.js';

/** Reads `file` from a workspace that holds nothing else. */
async function read(content: string | Uint8Array, args: object = {}, options: RuntimeOptions = {}): Promise<string> {
  const workspace = createMemoryWorkspace({ files: { file: content } });
  const runtime = testRuntime({ builtinTools, workspace, ...options });
  return textOf(await runtime.runCall({ name: 'read_file', payload: functionCall({ path: 'file', ...args }) }));
}

/** Reads a path of the real disk. */
async function readDisk(cwd: string, file: string): Promise<string> {
  return textOf(await createRuntime({ cwd }).runCall({ name: 'read_file', payload: functionCall({ path: file }) }));
}

const numbered = (lines: readonly string[], from = 1) =>
  lines.map((line, index) => `${String(from + index).padStart(4)}| ${line}`).join('\n');
const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`);

describe('a page', () => {
  test('shows numbered lines', async () => {
    expect(await read('alpha\nbeta\n')).toBe('   1| alpha\n   2| beta');
  });

  test('has 250 lines unless told otherwise, and says where to go on', async () => {
    expect(await read(lines(300).join('\n'))).toBe(
      `${numbered(lines(250))}\n[more lines follow: go on with start_line=251]`,
    );
    expect(await read(lines(300).join('\n'), { start_line: 251 })).toBe(numbered(lines(300).slice(250), 251));
  });

  test('ends at end_line without a word about what follows', async () => {
    expect(await read(lines(9).join('\n'), { start_line: 3, end_line: 4 })).toBe('   3| line 3\n   4| line 4');
  });

  test('ends at max_lines, which is never more than 2,000', async () => {
    expect(await read(lines(9).join('\n'), { max_lines: 2 })).toMatch(
      /2\| line 2\n\[more lines follow: go on with start_line=3\]$/,
    );
    const most = await read(
      lines(3_000).join('\n'),
      { max_lines: 3_000 },
      { outputBudget: { unit: 'tokens', amount: 50_000 } },
    );
    expect(most).toMatch(/\n2000\| line 2000\n\[more lines follow: go on with start_line=2001\]$/);
  });

  test('ends before the budget of the model does, so that nothing is cut out of its middle', async () => {
    const page = await read(lines(300).join('\n'), {}, { outputBudget: { unit: 'bytes', amount: 1_000 } });
    expect(Buffer.byteLength(page)).toBeLessThanOrEqual(1_000);
    expect(page).toMatch(/\n {2}57\| line 57\n\[more lines follow: go on with start_line=58\]$/);
  });

  test('pages put together are the file, whatever the file and the budget', async () => {
    const anyLines = fc.array(
      fc.string({ unit: 'grapheme', maxLength: 30 }).filter((line) => !/[\r\n\0-\x08\x0e-\x1f\ufeff]/.test(line)),
      { maxLength: 150, size: 'max' },
    );
    await fc.assert(
      fc.asyncProperty(anyLines, fc.integer({ min: 2_400, max: 3_000 }), async (content, amount) => {
        fc.pre(content.length > 0 && content.at(-1) !== '');
        const seen: string[] = [];
        for (let next: number | undefined = 1; next !== undefined;) {
          const page: string = await read(
            content.join('\n'),
            { start_line: next },
            { outputBudget: { unit: 'bytes', amount } },
          );
          const more: RegExpExecArray | null = /\n\[more lines follow: go on with start_line=(\d+)\]$/.exec(page);
          seen.push(
            ...page
              .slice(0, more?.index ?? page.length)
              .split('\n')
              .map((line) => line.replace(/^ *\d+\| /, '')),
          );
          next = more ? Number(more[1]) : undefined;
        }
        expect(seen).toEqual(content);
      }),
      propertyRuns(100),
    );
  });
});

describe('lines', () => {
  test.each([
    ['an empty file', '', '[the file is empty]'],
    ['one line without an end', 'a', '   1| a'],
    ['an empty last line', 'a\n\n', '   1| a\n   2| '],
    ['Windows line ends', 'a\r\nb\r\n', '   1| a\n   2| b'],
    ['a carriage return inside', 'a\rb\n', '   1| a\rb'],
  ])('%s', async (_, content, page) => {
    expect(await read(content)).toBe(page);
  });

  test('a long line is cut between characters, and can be continued', async () => {
    const line = 'ä'.repeat(2_500);
    const first = await read(`${line}\nnext`);
    expect(first).toBe(`   1| ${'ä'.repeat(1_000)}… [line goes on: start_line=1, start_column=2001]\n   2| next`);
    const second = await read(`${line}\nnext`, { start_column: 2_001, max_lines: 1 });
    expect(second).toMatch(/^ {3}1\| ä{1000}… \[line goes on: start_line=1, start_column=4001\]/);
    expect(await read(`${line}\nnext`, { start_column: 4_001 })).toBe(`   1| ${'ä'.repeat(500)}\n   2| next`);
  });

  test('a continuation that begins inside a character begins with the next one', async () => {
    expect(await read('aä😀b', { start_column: 3 })).toBe('   1| 😀b');
  });

  test('pieces of a long line put together are the line', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc
          .string({ unit: 'grapheme', minLength: 1, maxLength: 3_000, size: 'max' })
          .filter((text) => !/[\r\n\0-\x1f\ufeff]/.test(text)),
        async (line) => {
          let seen = '';
          for (let next: number | undefined = 1; next !== undefined;) {
            const piece: string = (await read(line, { start_column: next })).slice('   1| '.length);
            const more: RegExpExecArray | null = /… \[line goes on: start_line=1, start_column=(\d+)\]$/.exec(piece);
            seen += piece.slice(0, more?.index ?? piece.length);
            next = more ? Number(more[1]) : undefined;
          }
          expect(seen).toBe(line);
        },
      ),
      propertyRuns(50),
    );
  });
});

describe('encodings', () => {
  const utf16be = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16();

  test.each<readonly [string, Uint8Array, string]>([
    ['UTF-8 with a byte order mark', Buffer.from('\ufeffgrün\n'), '   1| grün'],
    [
      'UTF-16 little endian',
      Buffer.from('\ufeffgrün 😀\nzwei\n', 'utf16le'),
      '   1| grün 😀\n   2| zwei\n[encoding: utf-16le]',
    ],
    ['UTF-16 big endian', utf16be('grün 😀\nzwei'), '   1| grün 😀\n   2| zwei\n[encoding: utf-16be]'],
    ['Latin-1', Buffer.from('grün\nzwei\n', 'latin1'), '   1| grün\n   2| zwei\n[encoding: latin1]'],
    ['Latin-1 at the very end', Buffer.from('café', 'latin1'), '   1| café\n[encoding: latin1]'],
  ])('%s', async (_, content, page) => {
    expect(await read(content)).toBe(page);
  });

  test('pages of a Latin-1 file keep to the budget, and pieces of its lines put together are the lines', async () => {
    const page = await read(
      Buffer.from(`${'ü'.repeat(150)}\n`.repeat(50), 'latin1'),
      {},
      { outputBudget: { unit: 'bytes', amount: 2_000 } },
    );
    expect(page).not.toContain('truncated');
    expect(page).toMatch(/\[more lines follow: go on with start_line=6\]\n\[encoding: latin1\]$/);
    const line = Buffer.from('©'.repeat(5_000), 'latin1');
    const first = await read(line);
    expect(first).toMatch(/^ {3}1\| ©{1000}… \[line goes on: start_line=1, start_column=2001\]/);
    expect(await read(line, { start_column: 8_001 })).toBe(`   1| ${'©'.repeat(1_000)}\n[encoding: latin1]`);
  });

  test('a block larger than the budget is a page too', async () => {
    const block = Array.from({ length: 200 }, (_, index) => `    line ${index}`).join('\n');
    const page = await read(block, { mode: 'indentation' }, { outputBudget: { unit: 'bytes', amount: 1_000 } });
    expect(page).toMatch(/\n\[more lines follow: go on with start_line=\d+\]$/);
    expect(page).not.toContain('truncated');
  });

  test('UTF-16 that does not fit into one read is put together right', async () => {
    const content = Array.from({ length: 60_000 }, (_, index) => `Zeile ${index + 1} 😀`);
    const page = await read(Buffer.from(`\ufeff${content.join('\n')}`, 'utf16le'), { start_line: 59_999 });
    expect(page).toBe(`59999| Zeile 59999 😀\n60000| Zeile 60000 😀\n[encoding: utf-16le]`);
  });

  test.each<readonly [string, Uint8Array]>([
    ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
    ['control characters', Buffer.from(Array.from({ length: 256 }, (_, index) => (index % 31) + 1))],
  ])('%s is refused politely', async (_, content) => {
    expect(await read(content)).toBe(
      `failed to read file: file is a binary file of ${content.length} bytes. Use a program that understands its format.`,
    );
  });
});

describe('requests that cannot be met', () => {
  test.each<readonly [string, object, string]>([
    ['a start beyond the end', { start_line: 9 }, 'offset exceeds file length: start_line is 9, the file has 3 lines'],
    ['an end before the start', { start_line: 3, end_line: 2 }, 'end_line 2 is before start_line 3'],
    [
      'an anchor beyond the end',
      { mode: 'indentation', indentation: { anchor_line: 9 } },
      'anchor_line exceeds file length: anchor_line is 9, the file has 3 lines',
    ],
    ['an empty path', { path: '' }, 'the path is empty; give a path relative to the workspace or absolute'],
    ['a NUL in the path', { path: 'a\0b' }, 'the path contains a NUL character'],
    ['another file', { path: 'other' }, 'failed to read file: /workspace/other: no such file'],
  ])('%s', async (_, args, message) => {
    expect(await read('a\nb\nc\n', args)).toBe(message);
  });

  test('lines are counted right however the file falls into reads', async () => {
    const content = `${'x'.repeat(262_143)}\n${'y'.repeat(262_143)}\n`;
    expect(await read(content, { start_line: 3 })).toBe(
      'offset exceeds file length: start_line is 3, the file has 2 lines',
    );
  });

  test('what is not a regular file is not opened', async () => {
    const folder = tempFolder();
    execFileSync('mkfifo', [path.join(folder, 'pipe')]);
    symlinkSync('loop', path.join(folder, 'loop'));
    writeFileSync(path.join(folder, 'plain'), 'x');
    expect(await readDisk(folder, '.')).toBe(`failed to read file: ${folder}: it is a folder, not a file`);
    expect(await readDisk(folder, 'pipe')).toBe(
      `failed to read file: ${folder}/pipe: it is not a regular file (a device, pipe or socket)`,
    );
    expect(await readDisk(folder, '/dev/zero')).toBe(
      'failed to read file: /dev/zero: it is not a regular file (a device, pipe or socket)',
    );
    expect(await readDisk(folder, 'loop')).toBe(`failed to read file: ${folder}/loop: it cannot be used (ELOOP)`);
    expect(await readDisk(folder, 'plain/below')).toBe(`failed to read file: ${folder}/plain/below: no such file`);
  });
});

describe('other names', () => {
  test.each<readonly [string, object]>([
    ['ours', { path: 'file', start_line: 2, max_lines: 1 }],
    ['the reference’s', { file_path: 'file', path: undefined, offset: 2, limit: 1 }],
    ['as text', { path: 'file', start_line: '2', max_lines: '1' }],
  ])('%s', async (_, args) => {
    expect(await read('a\nb\nc\n', args)).toBe('   2| b\n[more lines follow: go on with start_line=3]');
  });
});

describe('indentation mode', () => {
  const code = [
    'import x', // 1
    '', // 2
    'class A:', // 3
    '    # adds', // 4
    '    def add(self):', // 5
    '        if self.on:', // 6
    '            total = 1', // 7
    '', // 8
    '            return total', // 9
    '    def sub(self):', // 10
    '        return 2', // 11
    'end = 1', // 12
  ].join('\n');
  const block = (indentation: object) =>
    read(code, { mode: 'indentation', indentation }).then((page) =>
      page.split('\n').map((line) => Number(line.slice(0, 4))),
    );
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

  test('one level shows the enclosing block', async () => {
    expect(await block({ anchor_line: 7, max_levels: 1 })).toEqual(range(6, 9));
  });

  test('two levels show the function, with the comment above it, down past the first line on its level', async () => {
    expect(await block({ anchor_line: 7, max_levels: 2 })).toEqual(range(4, 11));
  });

  test('without the header the comment stays away', async () => {
    expect(await block({ anchor_line: 7, max_levels: 2, include_header: false })).toEqual(range(5, 11));
  });

  test('siblings come along when asked for', async () => {
    const siblings = ['f {', '  a', '}', 'g {', '  b', '}', 'h {', '  c', '}'].join('\n');
    const around = (include: boolean) =>
      read(siblings, {
        mode: 'indentation',
        indentation: { anchor_line: 5, max_levels: 1, include_siblings: include },
      });
    expect(await around(false)).toBe('   4| g {\n   5|   b\n   6| }');
    expect(await around(true)).toBe(numbered(siblings.split('\n')));
  });

  test('the limit keeps what is nearest to the anchor', async () => {
    expect(await block({ anchor_line: 7, max_levels: 2, max_lines: 3 })).toEqual([6, 7]);
    expect(await block({ anchor_line: 7, max_lines: 1 })).toEqual([7]);
  });
});

test('a file of any size is read in constant memory', async () => {
  const gigabytes = process.env['TENON_DEEP'] === undefined ? 0.5 : 5;
  const folder = tempFolder();
  const file = path.join(folder, 'huge');
  writeFileSync(file, 'head\n'.repeat(2_000));
  // A hole: one line of zeros without end, which costs no disk but has to be read.
  truncateSync(file, gigabytes * 1024 ** 3);
  const handle = await open(file, 'a');
  await handle.write('\ntail\n');
  await handle.close();
  const script = `
    import { createRuntime, answerText } from ${JSON.stringify(path.join(import.meta.dirname, '../../dist/index.js'))};
    const runtime = createRuntime({ cwd: ${JSON.stringify(folder)} });
    const before = process.resourceUsage().maxRSS;
    const { answer } = await runtime.runCall({ name: 'read_file', payload: { kind: 'function', arguments: '{"path":"huge","start_line":2002}' } });
    console.log(JSON.stringify({ text: answerText(answer), grownMegabytes: (process.resourceUsage().maxRSS - before) / 1024 }));
  `;
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  const seen = JSON.parse(printed) as { text: string; grownMegabytes: number };
  expect(seen.text).toBe('2002| tail');
  expect(seen.grownMegabytes).toBeLessThan(60);
});
