/** Writes that the sandbox blocked are found, asked for by their paths, and made in a second attempt. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { attemptsIn, denialsIn, permissionsAsked, sandboxedRuntime } from '../../support/sandboxed.js';
import type { SandboxedRuntime } from '../../support/sandboxed.js';

describe('a write that was blocked', () => {
  test('to a file outside is asked for by exactly its path, and made in the second attempt', async () => {
    const runtime = sandboxedRuntime({ answers: ['once'] });
    const file = path.join(runtime.userHome, '.profile');
    for (const name of ['.profile', '.bashrc']) writeFileSync(path.join(runtime.userHome, name), 'old\n');
    const { header } = await runtime.sh('echo new >> ~/.profile && echo new >> ~/.bashrc');
    expect(denialsIn(runtime)[0]).toEqual({ attempt: 1, kind: 'write', target: file, proof: 'counterfactual' });
    expect(permissionsAsked(runtime)).toEqual([{ confined: true, grants: [{ kind: 'write', path: file }] }]);
    expect(runtime.questions[0]?.proposal).toEqual([{ kind: 'write', path: file }]);
    expect(readFileSync(file, 'utf8')).toBe('old\nnew\n');
    // What lies beside it stays closed.
    expect(header).toContain('exited with code 1');
    expect(readFileSync(path.join(runtime.userHome, '.bashrc'), 'utf8')).toBe('old\n');
  });

  test('to a file that is to be made is asked for by its folder', async () => {
    const runtime = sandboxedRuntime({ answers: ['once'] });
    const folder = path.join(runtime.userHome, 'notes');
    mkdirSync(folder);
    const { header } = await runtime.sh('touch ~/notes/today && touch ~/other');
    expect(permissionsAsked(runtime)).toEqual([{ confined: true, grants: [{ kind: 'write', path: folder }] }]);
    expect(readdirSync(folder)).toEqual(['today']);
    expect(header).toContain('exited with code 1');
    expect(readdirSync(runtime.userHome)).toEqual(['notes']);
  });

  test('in the home itself is no question, since the whole home would have to be opened', async () => {
    const runtime = sandboxedRuntime({ answers: ['once'] });
    const { header, body } = await runtime.sh('touch ~/new');
    expect(header).toContain('exited with code 1');
    expect(body).not.toContain('[tenon:');
    expect(denialsIn(runtime).map(({ proof }) => proof)).toEqual(['inferred']);
    expect([runtime.questions, attemptsIn(runtime)]).toEqual([[], [{ confined: true, grants: [] }]]);
    expect(readdirSync(runtime.userHome)).toEqual([]);
  });

  test('a right to a folder does not uncover what is hidden in it', async () => {
    const runtime = sandboxedRuntime({ answers: ['once'] });
    const folder = path.join(runtime.userHome, '.config');
    mkdirSync(path.join(folder, 'gh'), { recursive: true });
    writeFileSync(path.join(folder, 'gh/id'), 'secret\n');
    const { body } = await runtime.sh('touch ~/.config/new && { cat ~/.config/gh/id; echo x > ~/.config/gh/new; }');
    expect(permissionsAsked(runtime)).toEqual([{ confined: true, grants: [{ kind: 'write', path: folder }] }]);
    expect(attemptsIn(runtime)).toHaveLength(2);
    expect(readdirSync(folder).toSorted()).toEqual(['gh', 'new']);
    expect(body).not.toContain('secret');
    expect(readdirSync(path.join(folder, 'gh'))).toEqual(['id']);
  });

  test('to .git/config is asked for by exactly its path', async () => {
    const runtime = sandboxedRuntime({ answers: ['once'] });
    const config = repository(runtime);
    const { header } = await runtime.sh('echo "[own]" >> .git/config && echo x > .git/hooks/post-commit');
    expect(denialsIn(runtime)[0]).toEqual({ attempt: 1, kind: 'write', target: config, proof: 'counterfactual' });
    expect(permissionsAsked(runtime)).toEqual([{ confined: true, grants: [{ kind: 'write', path: config }] }]);
    expect(readFileSync(config, 'utf8')).toMatch(/\[own\]\n$/);
    expect(header).toContain('exited with code 1');
    expect(existsSync(path.join(runtime.project, '.git/hooks/post-commit'))).toBe(false);
  });

  test('by git config works in the second attempt', async () => {
    const runtime = sandboxedRuntime({ answers: ['once'] });
    const config = repository(runtime);
    const { header } = await runtime.sh('git config own.key value');
    expect(runtime.questions).toHaveLength(1);
    expect(header).toContain('exited with code 0');
    expect(readFileSync(config, 'utf8')).toContain('key = value');
  });

  test('by git commit works in the second attempt', async () => {
    const runtime = sandboxedRuntime({ answers: ['once'] });
    repository(runtime);
    const { header, text } = await runtime.sh('echo x > a && git add a && git commit -qm one');
    expect({ text, asked: runtime.questions.length }).toMatchObject({ asked: 1 });
    expect(header).toContain('exited with code 0');
    expect(execFileSync('git', ['log', '--format=%s'], { cwd: runtime.project }).toString()).toBe('one\n');
  });

  test('is exactly known when paths are watched, also from a program that says nothing', async () => {
    const runtime = sandboxedRuntime({ answers: ['once'], sandbox: { watchPaths: true } });
    const file = path.join(runtime.userHome, 'file');
    writeFileSync(file, 'old\n');
    const { header } = await runtime.sh('echo new 2> /dev/null > ~/file 2> /dev/null');
    expect(denialsIn(runtime)).toEqual([{ attempt: 1, kind: 'write', target: file, proof: 'kernel' }]);
    expect(header).toContain('exited with code 0');
    expect(readFileSync(file, 'utf8')).toBe('new\n');
  });

  test('a no leaves the first result standing', async () => {
    const runtime = sandboxedRuntime({ answers: ['deny'] });
    writeFileSync(path.join(runtime.userHome, 'file'), 'old\n');
    const { header, body, result } = await runtime.sh('echo new > ~/file');
    expect(result.outcome.kind).toBe('completed');
    expect(header).toContain('exited with code 1');
    expect(body).toMatch(/Read-only file system\n\[tenon: the sandbox blocked: write .*\/home\/file\]\n$/);
    expect(readFileSync(path.join(runtime.userHome, 'file'), 'utf8')).toBe('old\n');
    expect(attemptsIn(runtime)).toHaveLength(1);
  });
});

/** Makes the project a repository; its configuration file. */
function repository({ project }: SandboxedRuntime): string {
  execFileSync('git', ['init', '-q', '-b', 'main', project]);
  execFileSync('git', ['-C', project, 'config', 'user.name', 'Test']);
  execFileSync('git', ['-C', project, 'config', 'user.email', 'test@example.com']);
  return path.join(project, '.git/config');
}
