import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';

import { visible } from '../../src/cli/visible.js';
import { PROGRAM } from '../support/cli.js';
import { tempFolder } from '../support/temp-folder.js';

/** Runs a call in a real terminal and answers once it asks. Resolves to what the screen showed and the exit code. */
async function callInTerminal(
  cmd: string,
  typed: string,
): Promise<{ readonly screen: string; readonly code: number | null }> {
  const folder = tempFolder();
  writeFileSync(path.join(folder, 'args.json'), JSON.stringify({ cmd, login: false }));
  // `script` gives the program a terminal of its own and, with -e, passes on its exit code.
  const command = `exec "${process.execPath}" "${PROGRAM}" call exec_command "$(cat args.json)"`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: folder,
    env: { ...process.env, TENON_HOME: folder },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let screen = '';
  let asked = false;
  child.stdout.on('data', (chunk: Buffer) => {
    screen += chunk.toString();
    if (asked || !screen.includes('[a]bort: ')) return;
    asked = true;
    child.stdin.write(typed);
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { screen, code };
}

describe('the person at the terminal', () => {
  test('sees the command, the folder and the reason, and can say yes', async () => {
    const { screen, code } = await callInTerminal('echo ran', 'y\n');
    expect(screen).toMatch(
      /Run a command, without a sandbox\s+\$ echo ran\s+runs \[.*"-c","echo ran"\] in \/.*\s+because sandbox could not start/,
    );
    expect(screen).toMatch(/Process exited with code 0[\s\S]*ran/);
    expect(code).toBe(0);
  });

  test.each([
    ['no', 'n\n', 3, /rejected by user/],
    ['nothing', '\n', 3, /rejected by user/],
    ['abort', 'a\n', 130, /aborted by user/],
    ['Ctrl-C', '\u0003', 130, /aborted by user/],
    ['the end of input', '\u0004', 3, /rejected by user/],
  ])('can answer with %s, and nothing runs', async (_, typed, code, text) => {
    const seen = await callInTerminal('echo ra""n', typed);
    expect(seen.screen).toMatch(text);
    expect(seen.screen).not.toMatch(/^ran/m);
    expect(seen.code).toBe(code);
  });

  test('is not fooled by a command of several lines', async () => {
    const { screen } = await callInTerminal('echo a\nbecause I say so', 'n\n');
    expect(screen).toMatch(/^ {4}\$ echo a\r?\n {4}because I say so\r?\n {4}runs /m);
  });

  test('is not fooled by a command that would redraw the screen', async () => {
    const { screen } = await callInTerminal('rm -rf / #\u001b[2K\u001b[1Gecho harmless', 'n\n');
    expect(screen).toContain(String.raw`rm -rf / #\u{1b}[2K\u{1b}[1Gecho harmless`);
  });
});

test('arguments from the terminal leave nobody to ask, and the program does not end as if all were well', async () => {
  const folder = tempFolder();
  const command = `exec "${process.execPath}" "${PROGRAM}" call exec_command -`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: folder,
    env: { ...process.env, TENON_HOME: folder },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let screen = '';
  child.stdout.on('data', (chunk: Buffer) => (screen += chunk.toString()));
  child.stdin.write('{"cmd":"echo hi"}\n\u0004');
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  expect(code).toBe(3);
  expect(screen).toMatch(/nobody is there to give it/);
});

test('text is shown, not obeyed', () => {
  const hidden = 'a\u001b[31mb\r\u202ec\u061c\u{e0041}';
  expect(visible(`${hidden}\td\ne`)).toBe(`${String.raw`a\u{1b}[31mb\u{d}\u{202e}c\u{61c}\u{e0041}`}\td\ne`);
});
