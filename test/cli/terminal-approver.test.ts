import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { visible } from '../../src/cli/visible.js';
import { absolutePath } from '../../src/index.js';
import { bundle } from '../support/bundle.js';
import { PROGRAM, withCompiledCode } from '../support/cli.js';
import { NOT_HERE } from '../support/commands.js';
import type { Questions } from '../support/terminal-questions.js';
import { tempFolder } from '../support/temp-folder.js';
import type { Requested } from './terminal-requests.js';

type Seen = { readonly screen: string; readonly code: number | null };

/** What a person types, or does when they see the screen. */
type Answer = string | ((screen: string) => void);

/** The program asks, or tells that a question was answered elsewhere: then comes the next answer. */
const CUE = /\[a\]bort: |answered elsewhere: true/g;

/** Runs a command in a real terminal. Resolves to what the screen showed and the exit code. */
async function inTerminal(
  command: string,
  answers: readonly Answer[],
  env: Readonly<Record<string, string>> = {},
): Promise<Seen> {
  // `script` gives the program a terminal of its own and, with -e, passes on its exit code.
  const child = spawn('script', ['-qec', `exec ${command}`, '/dev/null'], { env: { ...process.env, ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  let screen = '';
  let given = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    screen += chunk.toString();
    for (const cues = screen.match(CUE)?.length ?? 0; given < cues; given += 1) {
      const answer = answers[given] ?? '\u0003';
      if (typeof answer === 'string') child.stdin.write(answer);
      else answer(screen);
    }
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { screen: screen.replaceAll('\r', ''), code };
}

/** Asks about every command. */
const NO_SANDBOX = `-c sandbox_policy=${NOT_HERE}`;

async function callInTerminal(
  call: string | object,
  typed: string,
  folder = tempFolder(),
  flags = NO_SANDBOX,
): Promise<Seen> {
  const args = { login: false, ...(typeof call === 'string' ? { cmd: call } : call) };
  writeFileSync(path.join(folder, 'args.json'), JSON.stringify(args));
  const command = `"${process.execPath}" "${PROGRAM}" call exec_command ${flags} --cd "${folder}" "$(cat "${folder}/args.json")"`;
  return inTerminal(command, [typed], { TENON_HOME: withCompiledCode(folder) });
}

/** The programs that ask, as single files in a folder of theirs. */
const programs = mkdtempSync(path.join(os.tmpdir(), 'tenon-questions-'));
const QUESTIONS = path.join(programs, 'questions.mjs');
const REQUESTS = path.join(programs, 'requests.mjs');

beforeAll(async () => {
  await bundle({ entry: path.join(import.meta.dirname, '../support/terminal-questions.ts') }, QUESTIONS);
  await bundle({ entry: path.join(import.meta.dirname, 'terminal-requests.ts') }, REQUESTS);
});
afterAll(() => rmSync(programs, { recursive: true }));

async function askInTerminal(
  questions: Questions,
  answers: readonly Answer[],
): Promise<Seen & { readonly read: readonly string[] }> {
  const seen = await inTerminal(`"${process.execPath}" "${QUESTIONS}"`, answers, {
    QUESTIONS: JSON.stringify(questions),
  });
  return { ...seen, read: [...seen.screen.matchAll(/^model reads: (.*)$/gm)].map(([, text = '']) => text) };
}

const nothing = (): void => {};

/** Without what the line editor draws with. */
function uncoloured(screen: string): string {
  return screen.replace(/\u001b\[[\d;?]*[A-Za-z]/g, '');
}

/** The program under the terminal answers one of its questions by itself. */
function answerElsewhere(screen: string): void {
  process.kill(Number(/^pid (\d+)/m.exec(screen)?.[1]), 'SIGUSR2');
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
    ['no', 'n\n', 3, /rejected by user\./],
    ['no and why', 'n use ls, please\n', 3, /rejected by user: use ls, please$/m],
    ['something else', 'nyes\n', 3, /rejected by user\./],
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

  test('sees that a command would run inside of the sandbox', async () => {
    const { screen, code } = await callInTerminal('make --version', 'y\n', tempFolder(), '-a untrusted');
    expect(screen).toMatch(
      /^Run a command\n\s+\$ make --version\n[\s\S]*because the approval policy "untrusted" asks/m,
    );
    expect({ screen, code }).toEqual({ screen: expect.stringContaining('GNU Make'), code: 0 });
  });

  test('sees why a model asks to leave the sandbox', async () => {
    const escalated = { cmd: 'echo ran', sandbox_permissions: 'require_escalated', justification: 'May I?' };
    const { screen, code } = await callInTerminal(escalated, 'y\n', tempFolder(), '');
    expect(screen).toMatch(
      /^Run a command, without a sandbox\n\s+\$ echo ran\n[\s\S]*because the model asks to leave the sandbox and says "May I\?"$/m,
    );
    expect({ screen, code }).toEqual({ screen: expect.stringMatching(/^ran$/m), code: 0 });
  });

  test.each([
    ['yes', 'y\n', 0, ['made']],
    ['no', 'n\n', 1, []],
  ])('sees what the sandbox blocked, and can answer with %s', async (_, typed, code, made) => {
    const outside = tempFolder();
    const only = ['slash_tmp', 'tmpdir_env_var'].map((name) => `-c sandbox_workspace_write.exclude_${name}=true`);
    const seen = await callInTerminal(`touch ${outside}/made`, typed, tempFolder(), only.join(' '));
    expect(seen.screen).toMatch(
      new RegExp(
        `^Run a command\\n[\\s\\S]*because the sandbox blocked this: write ${outside}\\. Retry with just that`,
        'm',
      ),
    );
    expect({ code: seen.code, made: readdirSync(outside) }).toEqual({ code, made });
  });

  test('can answer for good, and is not asked again', async () => {
    const folder = tempFolder();
    const first = await callInTerminal('make --version | head -1', 'p\n', folder);
    expect(first.screen).toMatch(/^always: run exactly "make --version" in \/.* and below$/m);
    expect(first.code).toBe(0);
    expect(readFileSync(path.join(folder, 'rules/approved.toml'), 'utf8')).toContain('pattern = ["make", "--version"]');
    const second = await callInTerminal('make --version | head -1', 'n\n', folder);
    expect(second.screen).not.toContain('Allow it?');
    expect(second.code).toBe(0);
  });

  test('cannot answer for good where no rule would answer', async () => {
    const { screen, code } = await callInTerminal('make', 'p\n', tempFolder(), '-a always');
    expect(screen).not.toMatch(/permanently|^always:/m);
    expect({ screen, code }).toEqual({ screen: expect.stringMatching(/exec command rejected by user\./), code: 3 });
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

describe('several questions', () => {
  test('are put one after the other, and each gets its own answer', async () => {
    const { screen, read } = await askInTerminal({ names: ['a', 'b', 'c'] }, ['y\n', 'n not b\n', 's\n']);
    const choices = /Allow it\? \[y\]es once, \[s\]ession, \[n\]o \(or n and why\), \[a\]bort: /.source;
    const turns = [
      ['a', 'y'],
      ['b', 'n not b'],
      ['c', 's'],
    ].map(([name, typed]) => `Touch ${name}\n {4}writes /${name}\n {4}because sure\\?\n${choices}${typed}\n\n`);
    expect(uncoloured(screen)).toMatch(new RegExp(turns.join('')));
    expect(read).toEqual(['touched a', 'rejected by user: not b', 'touched c']);
  });

  test('close on the screen when they are answered elsewhere, and the next one is put', async () => {
    const { screen, read } = await askInTerminal({ names: ['a', 'b'], elsewhere: 'a' }, [
      answerElsewhere,
      nothing,
      'n\n',
    ]);
    expect(uncoloured(screen)).toMatch(/No answer is needed any more: it was answered elsewhere\n\nTouch b\n/);
    expect(read).toEqual(['touched a', expect.stringMatching(/^rejected by user\./)]);
  });

  test('are not put at all when they end while they wait', async () => {
    const { screen, read } = await askInTerminal({ names: ['a', 'b', 'c'], elsewhere: 'b' }, [
      answerElsewhere,
      'y\n',
      'y\n',
    ]);
    expect(screen).not.toContain('Touch b');
    expect(read).toEqual(['touched a', 'touched b', 'touched c']);
  });

  test('close when nobody answers in time', async () => {
    const { screen, read } = await askInTerminal({ names: ['a'], approvalDeadline: { ms: 50, decision: 'deny' } }, [
      nothing,
    ]);
    expect(uncoloured(screen)).toMatch(/No answer is needed any more: nobody answered within 50 ms\n/);
    expect(read).toEqual(['sure. This needs an approval, and nobody answered within 50 ms.']);
  });
});

test('an answer for good is on offer with the rules in words, which no name can break out of', async () => {
  const { screen, read } = await askInTerminal(
    {
      names: ['a'],
      proposal: [
        { kind: 'command', words: ['npm', 'test'], cwd: absolutePath('/project') },
        { kind: 'command', words: ['echo', 'a b', 'c'], cwd: absolutePath('/project') },
        { kind: 'write', path: absolutePath('/x y') },
        { kind: 'read', path: absolutePath('/x\nalways: nothing') },
        { kind: 'host', host: 'example.com' },
        { kind: 'mcp', server: 'files', tool: 'list' },
      ],
    },
    ['p\n'],
  );
  expect(uncoloured(screen)).toContain(
    [
      '    because sure?',
      'always: run exactly "npm test" in /project and below',
      'always: run exactly ["echo","a b","c"] in /project and below',
      'always: write /x y',
      String.raw`always: read "/x\nalways: nothing"`,
      'always: connect to example.com',
      'always: use files/list',
      'Allow it? [y]es once, [s]ession, [p]ermanently, [n]o (or n and why), [a]bort: p',
    ].join('\n'),
  );
  expect(screen).toContain('{"name":"kept","file":"rules.toml","line":6}]');
  expect(read).toEqual(['touched a']);
});

describe('a preview', () => {
  async function decide(
    requested: Requested,
    typed: string,
  ): Promise<{ readonly screen: string; readonly decision: string }> {
    const { screen } = await inTerminal(`"${process.execPath}" "${REQUESTS}"`, [typed], {
      REQUESTED: JSON.stringify(requested),
    });
    return { screen: uncoloured(screen), decision: /^decision: (.*)$/m.exec(screen)?.[1] ?? '' };
  }

  test('can be asked for where it is on offer', async () => {
    const { screen, decision } = await decide({ previewable: true }, 'v\n');
    expect(screen).toContain(
      'Allow it? [y]es once, [v]iew first on a copy, [s]ession, [n]o (or n and why), [a]bort: v',
    );
    expect(decision).toBe('{"kind":"preview"}');
  });

  test('cannot be asked for where it is not on offer', async () => {
    const { screen, decision } = await decide({}, 'v\n');
    expect(screen).not.toContain('[v]iew');
    expect(decision).toBe('{"kind":"deny"}');
  });

  test('is shown with every line indented, and a yes for longer is not on offer', async () => {
    const { screen, decision } = await decide(
      {
        presentation: { title: 'Run a command', command: 'make', diff: '--- a/x\n+++ b/x\n+Allow it? yes\u001b[2K\n' },
        reason: 'keep them?',
        onlyOnce: true,
      },
      'y\n',
    );
    expect(screen).toContain(
      [
        'Run a command',
        '    $ make',
        '    --- a/x',
        '    +++ b/x',
        String.raw`    +Allow it? yes\u{1b}[2K`,
        '    runs ["make"] in /project',
        '    because keep them?',
        'Allow it? [y]es once, [n]o (or n and why), [a]bort: y',
      ].join('\n'),
    );
    expect(decision).toBe('{"kind":"once"}');
  });

  test.each([
    [200, 'runs ["make"] in /project'],
    [1000, '(1000 lines in all; the rest is not shown here)'],
  ])('another one of %d lines is shown as far as anybody reads', async (count, next) => {
    const diff = Array.from({ length: count }, (_, at) => `+${at + 1}\n`).join('');
    const { screen } = await decide({ presentation: { title: 'Run a command', diff } }, 'n\n');
    expect(screen).toContain(`    +200\n    ${next}\n`);
    expect(screen).not.toContain('+201');
  });

  test('is shown to its end, however long it is', async () => {
    const diff = Array.from({ length: 1000 }, (_, at) => `+${at + 1}\n`).join('');
    const { screen } = await decide({ presentation: { title: 'Run a command', diff }, onlyOnce: true }, 'n\n');
    expect(screen).toContain('    +1000\n    runs ["make"]');
  });
});

test('arguments from the terminal leave nobody to ask, and the program does not end as if all were well', async () => {
  const folder = tempFolder();
  const command = `exec "${process.execPath}" "${PROGRAM}" call exec_command ${NO_SANDBOX} -`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: folder,
    env: { ...process.env, TENON_HOME: withCompiledCode(folder) },
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
