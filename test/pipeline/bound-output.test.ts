import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { ToolFailure, builtinTools, textOutput } from '../../src/index.js';
import type { Hook, OutputPart, RuntimeOptions, Tool } from '../../src/index.js';
import { actingTool, functionCall, testRuntime, textOf } from '../support/runtime.js';
import { tempFolder } from '../support/temp-folder.js';
import { openFiles } from '../support/open-files.js';

const payload = functionCall('{}');

function printing(...chunks: readonly (string | Buffer)[]): Tool {
  return actingTool('print', async (_, scope) => {
    const capture = scope.capture();
    for (const chunk of chunks) capture.write(Buffer.from(chunk), 'stdout');
    return { content: [{ kind: 'capture', capture }] };
  });
}

async function run(tool: Tool, options: RuntimeOptions = {}) {
  const home = options.home ?? tempFolder();
  const runtime = testRuntime({ tools: [tool], home, ...options });
  const result = await runtime.runCall({ id: 'c/1', name: tool.spec.name, payload });
  const [kept] = runtime.record.of('output.kept');
  return { text: textOf(result), kept, runtime, home };
}

describe('printed output', () => {
  test('that fits is given as it is', async () => {
    const { text, kept } = await run(printing('a\n', 'b\n'), { outputBudget: { unit: 'bytes', amount: 4 } });
    expect({ text, kept }).toEqual({ text: 'a\nb\n', kept: undefined });
  });

  test('that does not fit is cut in the middle, with a header, and kept whole in a private file', async () => {
    const lines = Array.from({ length: 1_000 }, (_, index) => `line ${index}\n`);
    const { text, kept } = await run(printing(...lines), { outputBudget: { unit: 'tokens', amount: 10 } });
    expect(text).toBe(
      'Warning: truncated output (original token count: 2223)\nTotal output lines: 1000\n\n' +
        'line 0\nline 1\nline 2…2213 tokens truncated…7\nline 998\nline 999\n' +
        `[The whole output, 8890 bytes, is in ${kept?.path}; read the part you need from there.]`,
    );
    expect(readFileSync(kept?.path ?? '', 'utf8')).toBe(lines.join(''));
    expect(statSync(kept?.path ?? '').mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(kept?.path ?? '')).mode & 0o777).toBe(0o700);
  });

  test('larger than memory keeps both ends for the model and everything on disk', async () => {
    const block = Buffer.alloc(100_000, 'x');
    const chunks = ['first\n', ...Array.from({ length: 30 }, () => block), '\nlast\n'];
    const { text, kept } = await run(printing(...chunks), { outputBudget: { unit: 'tokens', amount: 8 } });
    expect(text).toMatch(
      /^Warning: truncated output \(original token count: 750003\)\n\.\.\. 1951436 bytes omitted \.\.\.\n\nfirst\nx{10}…749995 tokens truncated…x{10}\nlast\n\[The whole output, 3000012 bytes, is in /,
    );
    expect(statSync(kept?.path ?? '').size).toBe(3_000_012);
  });

  test('the whole can be paged with the file tool, line by line and inside a line, wherever the workspace is', async () => {
    const tool = printing(`${'y'.repeat(5_000)}\nsecond\n`);
    const { kept, runtime } = await run(tool, { builtinTools, outputBudget: { unit: 'bytes', amount: 600 } });
    const read = async (args: object) =>
      textOf(await runtime.runCall({ name: 'read_file', payload: functionCall({ path: kept?.path, ...args }) }));
    expect(await read({ start_line: 2 })).toBe('   2| second');
    expect(await read({ start_column: 4_990, max_lines: 1 })).toBe(
      `   1| ${'y'.repeat(11)}\n[more lines follow: go on with start_line=2]`,
    );
    expect(await read({ path: '/etc/hostname' })).toBe('failed to read file: /etc/hostname: no such file');
  });

  test('of a tool that fails leaves no file open, and what it prints later goes nowhere', async () => {
    let printLater = (): void => {};
    const failing = actingTool('print', async (_, scope) => {
      const capture = scope.capture();
      printLater = () => capture.write(Buffer.alloc(2_000_000, 'x'), 'stdout');
      printLater();
      throw new ToolFailure('broken');
    });
    const before = openFiles();
    const { runtime } = await run(failing);
    expect(openFiles()).toEqual(before);
    const heard = runtime.record.events.length;
    printLater();
    expect(openFiles()).toEqual(before);
    expect(runtime.record.events).toHaveLength(heard);
  });

  test('that the disk does not take is said, and the call goes on', async () => {
    const home = tempFolder();
    writeFileSync(path.join(home, 'artifacts'), 'a file where the folder should be');
    const { text } = await run(printing('x'.repeat(100)), { home, outputBudget: { unit: 'bytes', amount: 10 } });
    expect(text).toMatch(/\n\[The whole output, 100 bytes, could not be kept: .+\]$/);
  });

  test('that the disk takes only in part leaves no file open', () => {
    const script = `
      import { readdirSync, readlinkSync } from 'node:fs';
      import { createRuntime } from ${JSON.stringify(path.join(import.meta.dirname, '../../dist/index.js'))};
      const runtime = createRuntime({ sandboxMode: 'danger-full-access', home: ${JSON.stringify(tempFolder())} });
      const call = () => runtime.runCall({ name: 'exec_command', payload: { kind: 'function', arguments: '{"cmd":"head -c 3000000 /dev/zero","login":false}' } });
      const { answer } = await call();
      const target = (fd) => { try { return readlinkSync('/proc/self/fd/' + fd); } catch { return ''; } };
      const kept = () => readdirSync('/proc/self/fd').filter((fd) => target(fd).includes('artifacts')).length;
      for (let index = 0; index < 5; index += 1) await call();
      console.log(JSON.stringify({ lost: answer.content.at(-1).text.includes('could not be kept'), open: kept() }));
    `;
    // Files may not grow beyond 512 KiB here.
    const command = `trap '' XFSZ; ulimit -f 1024; exec "$0" --input-type=module -e "$1"`;
    const printed = execFileSync('bash', ['-c', command, process.execPath, script], {
      encoding: 'utf8',
      timeout: 20_000,
    });
    expect(JSON.parse(printed)).toEqual({ lost: true, open: 0 });
  });

  test('of a week ago is removed when new output is kept', async () => {
    const home = tempFolder();
    const options: RuntimeOptions = { home, outputBudget: { unit: 'bytes', amount: 10 } };
    await run(printing('x'.repeat(100)), options);
    const [old = ''] = readdirSync(path.join(home, 'artifacts'));
    utimesSync(path.join(home, 'artifacts', old), 0, 0);
    await run(printing('x'.repeat(100)), options);
    expect(readdirSync(path.join(home, 'artifacts'))).not.toContain(old);
  });

  test('is told as it comes, never split inside a character, and what is too much to watch is counted', async () => {
    const smile = Buffer.from('😀');
    const { runtime } = await run(printing(smile.subarray(0, 2), smile.subarray(2)));
    expect(runtime.record.of('output.delta').map((event) => event.text)).toEqual(['😀']);
    const block = Buffer.alloc(64 * 1024, 'x');
    const much = await run(printing(...Array.from({ length: 40 }, () => block)));
    const deltas = much.runtime.record.of('output.delta');
    expect(deltas.map(({ text, omitted }) => ({ bytes: text.length, omitted }))).toEqual([
      { bytes: block.length, omitted: undefined },
      { bytes: block.length, omitted: 38 * block.length },
    ]);
  });

  test('loses its escape sequences, unless the model is to see them', async () => {
    const tool = printing('\x1b[31mred\x1b[0m');
    expect((await run(tool)).text).toBe('red');
    expect((await run(tool, { outputAnsi: 'keep' })).text).toBe('\x1b[31mred\x1b[0m');
  });

  test('a budget the model asks for narrows its own, never widens it', async () => {
    const asking = (maxTokens: number): Tool =>
      actingTool('print', async (_, scope) => {
        const capture = scope.capture();
        capture.write(Buffer.alloc(1_000, 'x'), 'stdout');
        return { content: [{ kind: 'capture', capture, maxTokens }] };
      });
    const budget = { outputBudget: { unit: 'bytes', amount: 40 } } as const;
    expect((await run(asking(5), budget)).text).toContain('\n\nxxxxxxxxxx…245 tokens truncated…xxxxxxxxxx\n[');
    expect((await run(asking(1_000), budget)).text).toContain('…960 chars truncated…');
  });
});

describe('given output', () => {
  const giving = (...content: readonly OutputPart[]): Tool => actingTool('give', async () => ({ content }));

  test('parts share one budget: whole ones while they fit, one that is cut, the rest counted, and all of it kept', async () => {
    const part = (text: string): OutputPart => ({ kind: 'text', text });
    const image: OutputPart = { kind: 'image', mediaType: 'image/png', base64: 'AAAA' };
    const tool = giving(part('12345'), part('abcdefghijkl'), image, part('more'), part('even more'));
    const { text, kept } = await run(tool, { outputBudget: { unit: 'bytes', amount: 11 } });
    expect(text).toBe(
      '12345abc…6 chars truncated…jkl\n[omitted 2 text items ...]\n' +
        `[The whole output, 30 bytes, is in ${kept?.path}; read the part you need from there.]`,
    );
    expect(readFileSync(kept?.path ?? '', 'utf8')).toBe('12345abcdefghijklmoreeven more');
  });

  test('a hook that changes a word of a long output does not hide what was cut', async () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index}\n`);
    const censor: Hook = {
      name: 'h',
      afterCall: (_, { content }) => ({
        kind: 'replace',
        output: {
          content: content.map((part) =>
            part.kind === 'text' ? { ...part, text: part.text.replaceAll('line 1\n', 'LINE 1\n') } : part,
          ),
        },
      }),
    };
    const { text, kept } = await run(printing(...lines), {
      outputBudget: { unit: 'tokens', amount: 100 },
      hooks: [censor],
    });
    expect(text).toContain('LINE 1\n');
    expect(text.match(/tokens truncated/g)).toHaveLength(1);
    expect(
      text.endsWith(`[The whole output, 48890 bytes, is in ${kept?.path}; read the part you need from there.]`),
    ).toBe(true);
  });

  test('what a hook makes of it is bounded too', async () => {
    const { text } = await run(giving({ kind: 'text', text: 'short' }), {
      outputBudget: { unit: 'bytes', amount: 10 },
      hooks: [{ name: 'h', afterCall: () => ({ kind: 'replace', output: textOutput('y'.repeat(50)) }) }],
    });
    expect(text).toMatch(/^yyyyy…40 chars truncated…yyyyy\n\[/);
  });
});
