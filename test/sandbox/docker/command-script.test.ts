import { execFileSync, spawnSync } from 'node:child_process';
import type { StdioOptions } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { commandProblem, commandScript } from '../../../src/sandbox/docker/command-script.js';
import type { ScriptedCommand } from '../../../src/sandbox/docker/command-script.js';
import { shellQuote } from '../../../src/sandbox/docker/shell-quote.js';
import { propertyRuns } from '../../support/property-runs.js';
import { tempFolder } from '../../support/temp-folder.js';

/** Every shell that may stand behind `/bin/sh`, as far as it is here. */
const SHELLS = [['dash'], ['bash', '--posix'], ['busybox', 'sh']].filter(
  ([file = '', ...args]) => spawnSync(file, [...args, '-c', 'true']).status === 0,
);

const anyWord = fc.string({ unit: 'binary', maxLength: 60 }).map((text) => text.replaceAll('\0', ''));
const trickyWord = fc
  .array(fc.constantFrom("'", '"', '\\', '$', '`', '\n', ' ', '!', '*', '~', ';', '&', '\u0081', '\u0088', 'a', '-'))
  .map((parts) => parts.join(''));
const word = fc.oneof(anyWord, trickyWord);

/** With a socket for its input, one of them takes itself for a remote shell. */
const STDIO: StdioOptions = ['ignore', 'pipe', 'pipe'];

/** The two functions that the agent defines, for a script to be run without one. */
const AGENT = 'refuse() { echo "refused $1"; exit 125; }\nfindable() { [ "$1" != missing ]; }\n';

function runScript(shell: readonly string[], command: ScriptedCommand): string {
  const [file = '', ...args] = shell;
  return execFileSync('env', ['-i', file, ...args, '-c', AGENT + commandScript(command)], {
    encoding: 'utf8',
    stdio: STDIO,
  });
}

describe.each(SHELLS.map((shell) => ({ name: shell[0], shell })))('in $name', ({ shell }) => {
  const [file = '', ...args] = shell;

  test('a quoted word is that word', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), (words) => {
        const script = `printf '%s\\0' ${words.map(shellQuote).join(' ')}`;
        const said = execFileSync(file, [...args, '-c', script], { encoding: 'utf8' });
        expect(said).toBe(words.map((each) => `${each}\0`).join(''));
      }),
      propertyRuns(20, 4_000),
    );
  });

  test('a command gets exactly its variables', () => {
    const name = fc.oneof(
      fc.constantFrom('PWD', 'OLDPWD', 'SHLVL', '_', 'PATH', 'IFS', 'OPTIND', 'UID', 'PPID', 'LC_ALL', 'ENV', 'HOME'),
      fc.constantFrom(
        'BASH_ENV',
        'BASHOPTS',
        'SHELLOPTS',
        'BASH_FUNC_x%%',
        'a-b',
        'a b',
        '-x',
        'npm_config_//r:_t',
        'é',
      ),
      fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/),
    );
    const usual = name.filter((each) => !each.startsWith('LD_') && each !== 'GLIBC_TUNABLES');
    fc.assert(
      fc.property(fc.dictionary(usual, word), (given) => {
        const env: Record<string, string> = { ...given };
        const said = runScript(shell, { argv: ['/usr/bin/env', '-0'], cwd: '/', env });
        expect(said.split('\0').slice(0, -1).toSorted()).toEqual(
          Object.entries(env)
            .map(([key, value]) => `${key}=${value}`)
            .toSorted(),
        );
      }),
      propertyRuns(20, 4_000),
    );
  });

  test('a command gets exactly its words, in its folder', () => {
    const root = tempFolder();
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), word, (words, text) => {
        const cwd = path.join(root, `d${text.replaceAll('/', '').slice(0, 50)}`);
        mkdirSync(cwd, { recursive: true });
        const argv = ['/bin/sh', '-c', 'pwd; printf "%s\\0" "$@"', 'x', ...words];
        const said = runScript(shell, { argv, cwd, env: {} });
        const printed = words.length === 0 ? '\0' : words.map((each) => `${each}\0`).join('');
        expect(said).toBe(`${cwd}\n${printed}`);
      }),
      propertyRuns(10, 2_000),
    );
  });

  test('a program may have a "=" in its name', () => {
    const folder = tempFolder();
    writeFileSync(path.join(folder, 'a=b'), '#!/bin/sh\necho "ran $1"\n', { mode: 0o755 });
    expect(runScript(shell, { argv: [path.join(folder, 'a=b'), 'x'], cwd: '/', env: {} })).toBe('ran x\n');
  });

  test('a folder or program that is not there is refused', () => {
    const refused = (command: Partial<ScriptedCommand>) => {
      const script = AGENT + commandScript({ argv: ['true'], cwd: '/', env: {}, ...command });
      const { status, stdout } = spawnSync(file, [...args, '-c', script], { encoding: 'utf8' });
      return { status, stdout };
    };
    expect(refused({ cwd: '/nowhere' })).toEqual({ status: 125, stdout: 'refused folder\n' });
    expect(refused({ argv: ['missing'] })).toEqual({ status: 125, stdout: 'refused program\n' });
  });
});

test('at least one shell was tried', () => {
  expect(SHELLS.length).toBeGreaterThan(0);
});

test('values of variables are in no argument list', () => {
  const script = commandScript({ argv: ['true'], cwd: '/', env: { TOKEN: 'sesame' } });
  const started = script.split('\n').find((line) => line.startsWith("exec '"));
  expect(started).toBe("exec '/usr/bin/env' '-u' '_' '-u' 'SHLVL' '-u' 'PWD' '-u' 'OLDPWD' '-u' 'PATH' '--' 'true'");
});

describe('a command that cannot be written down', () => {
  const problemOf = (command: Partial<ScriptedCommand>) =>
    commandProblem({ argv: ['a'], cwd: '/', env: {}, ...command });

  test.each([
    [{ argv: [] }, 'no program'],
    [{ argv: [''] }, 'no program'],
    [{ argv: ['a', 'b\0'] }, 'NUL'],
    [{ cwd: '/\0' }, 'NUL'],
    [{ env: { A: '\0' } }, 'NUL'],
    [{ env: { '': 'x' } }, 'no name'],
    [{ env: { 'a=b': 'x' } }, 'no name'],
    [{ argv: ['a', 'x'.repeat(131_072)] }, 'too long'],
    [{ env: { A: 'é'.repeat(65_536) } }, 'too long'],
  ])('is told why', (command, reason) => {
    expect(problemOf(command)).toContain(reason);
  });

  test('is not one with the longest argument that the system takes', () => {
    expect(problemOf({ argv: ['a', 'x'.repeat(131_071)] })).toBeUndefined();
  });
});
