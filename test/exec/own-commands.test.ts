import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { ownCommands } from '../../src/exec/own-commands.js';
import { packagedRipgrep } from '../../src/exec/packaged-ripgrep.js';
import { commandRuntime } from '../support/commands.js';
import { sandboxedRuntime } from '../support/sandboxed.js';
import { tempFolder } from '../support/temp-folder.js';

const FOLDER = path.join(import.meta.dirname, '../../dist/commands');
const RIPGREP = path.dirname(packagedRipgrep() ?? '');
const withOwn = ownCommands();

describe('the environment in which they are found', () => {
  test('they come after all others, and the rest stays', () => {
    expect(withOwn({ PATH: '/bin:/usr/bin', HOME: '/h' })).toEqual({
      PATH: `/bin:/usr/bin:${FOLDER}:${RIPGREP}`,
      HOME: '/h',
      TENON_NODE: process.execPath,
    });
  });

  test.each([{}, { PATH: '' }])('%j stays as it is: a shell without a search path has one of its own', (env) => {
    expect(withOwn(env)).toBe(env);
  });
});

describe('the commands themselves', () => {
  test('are programs, under the names that models know', () => {
    const names = readdirSync(FOLDER);
    expect(names).toEqual(['apply_patch', 'applypatch']);
    for (const name of names) accessSync(path.join(FOLDER, name), constants.X_OK);
  });

  test('ripgrep adds its own name to them, and no other', () => {
    expect(readdirSync(RIPGREP)).toEqual(['rg']);
  });

  const PATCH = '*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch\n';

  test.each(['apply_patch', 'applypatch'])('%s works where no Node is on the path', (name) => {
    const folder = tempFolder();
    const printed = execFileSync(path.join(FOLDER, name), {
      cwd: folder,
      input: PATCH,
      env: { TENON_NODE: process.execPath, TENON_HOME: path.join(folder, 'home'), PATH: '/nowhere' },
    });
    expect(printed.toString()).toBe('Success. Updated the following files:\nA new.txt\n');
    expect(readFileSync(path.join(folder, 'new.txt'), 'utf8')).toBe('hello\n');
  });
});

describe('commands of a runtime', () => {
  const WHERE = 'command -v apply_patch applypatch';
  const found = `${FOLDER}/apply_patch\n${FOLDER}/applypatch\n`;

  test.each([false, true])('find them, in a login shell: %j', async (login) => {
    const runtime = commandRuntime();
    expect((await runtime.call('shell_command', { command: WHERE, login })).body).toBe(found);
    expect((await runtime.call('exec_command', { cmd: WHERE, login, tty: true })).body.replaceAll('\r', '')).toBe(
      found,
    );
  });

  test.each([false, true])('find them in the sandbox, in a login shell: %j', async (login) => {
    expect((await sandboxedRuntime().sh(WHERE, { login })).body).toBe(found);
  });

  test('search with rg, in the sandbox and outside of it', async () => {
    const line = 'a.txt:2:needle\n';
    const script = "printf 'hay\\nneedle\\n' >a.txt; rg --version >/dev/null && rg -n needle a.txt --with-filename";
    expect((await commandRuntime().call('exec_command', { cmd: script })).body).toBe(line);
    expect((await sandboxedRuntime().sh(script)).body).toBe(line);
  });

  test('use the rg of the machine where it has one', async () => {
    const folder = tempFolder();
    writeFileSync(path.join(folder, 'rg'), '#!/bin/sh\necho the one of the machine\n', { mode: 0o755 });
    const env = withOwn({ PATH: `${folder}:/bin` });
    expect(execFileSync('/bin/sh', ['-c', 'rg'], { env }).toString()).toBe('the one of the machine\n');
  });

  test('are told that a patch is missing where one could only be typed', async () => {
    const { header, body } = await commandRuntime().call('exec_command', {
      cmd: 'apply_patch',
      login: false,
      tty: true,
    });
    expect(header).toContain('Process exited with code 2\n');
    expect(body).toMatch(/^tenon: there is no patch: give one as an argument or on standard input/);
  });

  test('find them without a shell', async () => {
    const { text } = await commandRuntime().call('shell', { command: ['applypatch', '--help', 'x'] });
    expect(JSON.parse(text)).toMatchObject({ output: expect.stringMatching(/^Usage: /), metadata: { exit_code: 0 } });
  });

  test('leave no record of their own where the sandbox keeps one', async () => {
    const runtime = sandboxedRuntime();
    const script = "true; apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: new.txt\n+x\n*** End Patch\nEOF";
    expect((await runtime.sh(script)).body).toBe('Success. Updated the following files:\nA new.txt\n');
    expect(runtime.record.of('files.changed')).toMatchObject([{ files: [{ change: 'added' }] }]);
    expect((await runtime.undo()).kind).toBe('undone');
    expect(existsSync(path.join(runtime.project, 'new.txt'))).toBe(false);
  });
});
