import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { finished, runCli, startCli } from '../support/cli.js';
import type { CliOptions, CliResult } from '../support/cli.js';
import { grounds } from '../support/sandboxed.js';

const envelope = (...lines: readonly string[]): string => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
const ADD = envelope('*** Add File: new.txt', '+hello');
const ADDED = { code: 0, stdout: 'Success. Updated the following files:\nA new.txt\n', stderr: '' };

function place() {
  const { project, ownHome } = grounds();
  writeFileSync(path.join(project, 'a.txt'), 'one\ntwo\n');
  return {
    project,
    ownHome,
    names: (): readonly string[] => readdirSync(project),
    read: (name: string): string => readFileSync(path.join(project, name), 'utf8'),
    run: (args: readonly string[], options: CliOptions = {}): Promise<CliResult> =>
      runCli(['apply-patch', ...args], { cwd: project, home: ownHome, ...options }),
  };
}

describe('tenon apply-patch', () => {
  test.each<readonly [what: string, args: readonly string[], stdin: string]>([
    ['an argument', [ADD], ''],
    ['standard input', [], ADD],
    ['standard input, asked for', ['-'], `${ADD}\n`],
    [
      'a unified diff',
      [],
      'diff --git a/new.txt b/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+hello\n',
    ],
  ])('takes a patch from %s', async (_, args, stdin) => {
    const { run, read } = place();
    expect(await run(args, { stdin })).toEqual(ADDED);
    expect(read('new.txt')).toBe('hello\n');
  });

  test('-C sets the folder that paths count from', async () => {
    const { run, project, names } = place();
    mkdirSync(path.join(project, 'sub'));
    expect(await run([ADD, '-C', 'sub'])).toEqual(ADDED);
    expect(names()).toEqual(['a.txt', 'sub']);
    expect(readdirSync(path.join(project, 'sub'))).toEqual(['new.txt']);
  });

  test('what it did can be taken back', async () => {
    const { run, project, ownHome, read } = place();
    await run([envelope('*** Update File: a.txt', '@@', '-two', '+2')]);
    expect(read('a.txt')).toBe('one\n2\n');
    expect(await runCli(['undo'], { cwd: project, home: ownHome })).toMatchObject({ code: 0 });
    expect(read('a.txt')).toBe('one\ntwo\n');
  });

  test.each<readonly [what: string, args: readonly string[], stderr: RegExp]>([
    ['nothing on standard input', [], /^tenon: the patch is empty/],
    ['two arguments', [ADD, ADD], /too many arguments/],
    ['a folder that is not there', [ADD, '-C', 'nowhere'], /nowhere/],
  ])('%s is bad usage', async (_, args, stderr) => {
    const { run, names } = place();
    const result = await run(args);
    expect([result.code, result.stdout, names()]).toEqual([2, '', ['a.txt']]);
    expect(result.stderr).toMatch(stderr);
  });

  test('text in another encoding is refused, and not written as something else', async () => {
    const { project, ownHome, names } = place();
    const child = startCli(['apply-patch'], { cwd: project, home: ownHome });
    child.stdin.end(Buffer.from(envelope('*** Add File: new.txt', '+caf\u{e9}'), 'latin1'));
    expect(await finished(child)).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining('not UTF-8 text') });
    expect(names()).toEqual(['a.txt']);
  });

  test.each<readonly [what: string, patch: string, stderr: string]>([
    ['no patch', 'hello', "Invalid patch: The first line of the patch must be '*** Begin Patch'\n"],
    [
      'a bad line',
      envelope('x'),
      "Invalid patch hunk on line 2: 'x' is not a valid hunk header. Valid hunk headers: '*** Add File: {path}', '*** Delete File: {path}', '*** Update File: {path}'\n",
    ],
    [
      'a file that is not there',
      envelope('*** Delete File: b.txt'),
      'Failed to read PROJECT/b.txt: No such file or directory (os error 2)\n',
    ],
  ])('%s fails with the words of the program', async (_, patch, stderr) => {
    const { run, project, names } = place();
    expect(await run([patch])).toEqual({ code: 1, stdout: '', stderr: stderr.replace('PROJECT', project) });
    expect(names()).toEqual(['a.txt']);
  });

  test('what cannot be written fails, and all stays as it was', async () => {
    const { run, names } = place();
    const result = await run([envelope('*** Add File: b.txt', '+b', '*** Add File: a.txt/c', '+c')]);
    expect([result.code, result.stdout, names()]).toEqual([1, '', ['a.txt']]);
    expect(result.stderr).toMatch(/^Failed to write file \/.*\/a\.txt\/c: .*\n$/);
  });

  test('a rule that forbids a file holds', async () => {
    const { run, ownHome, names } = place();
    mkdirSync(path.join(ownHome, 'rules'));
    writeFileSync(path.join(ownHome, 'rules/own.toml'), '[[path]]\nwrite = ["**/new.txt"]\ndecision = "forbidden"\n');
    const result = await run([ADD]);
    expect([result.code, result.stdout, names()]).toEqual([3, '', ['a.txt']]);
    expect(result.stderr).toMatch(/^`\/.*\/new\.txt` rejected: /);
  });

  test('in a sandbox it keeps no record, for which it has no place', async () => {
    const { run, ownHome } = place();
    expect(await run([ADD], { env: { TENON_SANDBOX: 'cell' } })).toEqual(ADDED);
    expect(existsSync(path.join(ownHome, 'changes'))).toBe(false);
  });

  test('has help', async () => {
    const { code, stdout } = await runCli(['apply-patch', '--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Usage: tenon apply-patch \[options\] \[patch\]\n[\s\S]*-C, --cd <dir>[\s\S]*Exit codes:\n/,
    );
  });
});
