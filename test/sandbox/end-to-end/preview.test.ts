/** `tenon sandbox --preview` and `--apply`: what a command would change is shown first, and made real only when wanted. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { box, sh } from '../../support/sandbox-cli.js';
import type { Box } from '../../support/sandbox-cli.js';

describe('--preview and --apply', () => {
  const SCRIPT = 'echo new > a.txt; echo made > b.txt; rm c.txt; cat a.txt';

  function staged(): Box & { readonly state: () => Record<string, string> } {
    const made = box();
    for (const name of ['a.txt', 'c.txt']) writeFileSync(path.join(made.project, name), 'old\n');
    const state = (): Record<string, string> =>
      Object.fromEntries(
        readdirSync(made.project)
          .filter((name) => name.endsWith('.txt'))
          .map((name) => [name, readFileSync(path.join(made.project, name), 'utf8')]),
      );
    return { ...made, state };
  }

  test('--preview shows what would change, and changes nothing', async () => {
    const { run, state, ownHome } = staged();
    const { code, stdout, stderr } = await run(['--preview', ...sh(SCRIPT)]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'tenon: 3 changes shown, none made; --apply makes them\n' });
    expect(stdout).toMatch(/^new\n/);
    expect(stdout).toMatch(/^--- a\/a\.txt\n\+\+\+ b\/a\.txt\n@@ -1(?:,1)? \+1(?:,1)? @@\n-old\n\+new\n/m);
    expect(stdout).toMatch(/^\+\+\+ b\/b\.txt\n@@ -0,0 \+1(?:,1)? @@\n\+made\n/m);
    expect(stdout).toMatch(/^--- a\/c\.txt\n\+\+\+ \/dev\/null\n@@ -1(?:,1)? \+0,0 @@\n-old\n/m);
    expect(state()).toEqual({ 'a.txt': 'old\n', 'c.txt': 'old\n' });
    expect(readdirSync(path.join(ownHome, 'stages'))).toEqual([]);
  });

  test('the shown text is a patch that git takes', async () => {
    const { run, state, project } = staged();
    const { stdout } = await run(['--preview', ...sh('echo new > a.txt; echo made > b.txt; rm c.txt')]);
    execFileSync('git', ['apply', '-'], { cwd: project, input: stdout });
    expect(state()).toEqual({ 'a.txt': 'new\n', 'b.txt': 'made\n' });
  });

  test('--apply makes the same changes', async () => {
    const { run, state } = staged();
    const { code, stderr } = await run(['--apply', ...sh(SCRIPT)]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'tenon: 3 changes made\n' });
    expect(state()).toEqual({ 'a.txt': 'new\n', 'b.txt': 'made\n' });
  });

  test('nothing to change', async () => {
    const { run } = staged();
    expect(await run(['--preview', '--', 'true'])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'tenon: nothing would change\n',
    });
  });

  test('the exit code is that of the command', async () => {
    const { run } = staged();
    expect((await run(['--preview', ...sh('touch x; exit 9')])).code).toBe(9);
  });

  test('a link that leads out is refused, and nothing is changed', async () => {
    const { run, state, project } = staged();
    const { code, stderr } = await run(['--apply', ...sh('echo new > a.txt; ln -s /etc out')]);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/^tenon: nothing was changed, because of:\n {2}.*out: /);
    expect(state()).toEqual({ 'a.txt': 'old\n', 'c.txt': 'old\n' });
    expect(existsSync(path.join(project, 'out'))).toBe(false);
  });

  test('nothing is written through a link that is there', async () => {
    const { run, project, userHome } = staged();
    writeFileSync(path.join(userHome, 'file'), 'old\n');
    symlinkSync(path.join(userHome, 'file'), path.join(project, 'link'));
    await run(['--apply', ...sh('echo new > link')]);
    expect(readFileSync(path.join(userHome, 'file'), 'utf8')).toBe('old\n');
  });

  test.each([
    'echo x > .git/config',
    'mkdir -p .git/hooks; echo x > .git/hooks/pre-commit',
    'rm -r .git',
    'mv .git away',
  ])('%s changes nothing', async (script) => {
    const { run, project } = staged();
    mkdirSync(path.join(project, '.git'));
    writeFileSync(path.join(project, '.git/config'), '[core]\n');
    await run(['--apply', ...sh(script)]);
    expect(readdirSync(path.join(project, '.git'))).toEqual(['config']);
    expect(readFileSync(path.join(project, '.git/config'), 'utf8')).toBe('[core]\n');
    expect(existsSync(path.join(project, 'away'))).toBe(false);
  });

  test('a .git that appears is refused', async () => {
    const { run, project } = staged();
    const { stderr } = await run(['--apply', ...sh('mkdir .git; echo x > .git/config')]);
    expect(stderr).toMatch(/\.git/);
    expect(existsSync(path.join(project, '.git'))).toBe(false);
  });

  test('a backend that has no copies says so', async () => {
    const { run, state } = staged();
    const { code, stderr } = await run(['--preview', '--backend', 'landlock', ...sh(SCRIPT)]);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/^tenon: .*landlock cannot run commands on a copy/);
    expect(state()).toEqual({ 'a.txt': 'old\n', 'c.txt': 'old\n' });
  });

  test('without a sandbox there are no copies either', async () => {
    const { run, state } = staged();
    const { code, stderr } = await run(['--preview', '-s', 'danger-full-access', ...sh('echo new > a.txt')]);
    expect(state()).toEqual({ 'a.txt': 'old\n', 'c.txt': 'old\n' });
    // Either it is shown, or it is said why not.
    expect(code === 0 || stderr.startsWith('tenon: ')).toBe(true);
  });
});
