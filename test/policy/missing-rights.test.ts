/** That a command is allowed is no answer to what it turns out to lack: that is decided by what it tried and printed. */
import { readFileSync, readdirSync, writeFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { attemptsIn, permissionsAsked, sandboxedRuntime } from '../support/sandboxed.js';
import type { SandboxedOptions } from '../support/sandboxed.js';

const ALLOWED = '[[command]]\npattern = ["bash", "./build"]\ndecision = "allow"\n';
const FIRST_ONLY = [{ confined: true, grants: [] }];

/** A program of the project that rules allow, and what it does. */
function building(script: string, { ruleFile = '', ...options }: SandboxedOptions = {}) {
  const runtime = sandboxedRuntime({ ...options, ruleFile: ALLOWED + ruleFile });
  writeFileSync(path.join(runtime.project, 'build'), script);
  writeFileSync(path.join(runtime.userHome, '.bashrc'), '# mine\n');
  const bashrc = (): string => readFileSync(path.join(runtime.userHome, '.bashrc'), 'utf8');
  return { ...runtime, bashrc, build: () => runtime.sh('bash ./build') };
}

const grantsAsked = (runtime: Parameters<typeof permissionsAsked>[0]) =>
  permissionsAsked(runtime).map(({ grants }) => grants);

describe('a command that a rule allows', () => {
  test('runs without a question, confined', async () => {
    const runtime = building('echo built');
    expect((await runtime.build()).body).toBe('built\n');
    expect([runtime.questions, attemptsIn(runtime)]).toEqual([[], FIRST_ONLY]);
  });

  test('is asked about the file that it could not write, and a no stands', async () => {
    const runtime = building('echo evil >> ~/.bashrc');
    expect((await runtime.build()).header).toContain('exited with code 1');
    expect(grantsAsked(runtime)).toEqual([[{ kind: 'write', path: path.join(runtime.userHome, '.bashrc') }]]);
    expect(runtime.questions[0]?.rule).toEqual({ name: 'missing-grant' });
    expect([runtime.bashrc(), attemptsIn(runtime)]).toEqual(['# mine\n', FIRST_ONLY]);
  });

  test('gets no file by printing that it could not write it', async () => {
    const runtime = building(
      `echo "touch: cannot touch '$HOME/.bashrc': Read-only file system"; echo evil >> ~/.bashrc; exit 1`,
    );
    await runtime.build();
    expect([runtime.bashrc(), attemptsIn(runtime)]).toEqual(['# mine\n', FIRST_ONLY]);
    expect(runtime.questions).toHaveLength(1);
  });

  test('is asked about the host that it could not reach, and a no stands', async () => {
    const runtime = building('curl -sSf -m 5 http://169.254.169.254/latest');
    await runtime.build();
    expect(grantsAsked(runtime)).toEqual([[{ kind: 'connect', host: '169.254.169.254' }]]);
    expect(attemptsIn(runtime)).toEqual(FIRST_ONLY);
  });

  test('is refused without a question when nobody is to be asked', async () => {
    const runtime = building('echo evil >> ~/.bashrc', { approvalPolicy: 'never' });
    expect((await runtime.build()).header).toContain('exited with code 1');
    expect([runtime.questions, runtime.bashrc(), attemptsIn(runtime)]).toEqual([[], '# mine\n', FIRST_ONLY]);
  });

  test('has, after a yes, what was asked for and nothing beside it', async () => {
    const runtime = building('echo more >> ~/.bashrc && touch ~/other', { answers: ['once'] });
    await runtime.build();
    expect(runtime.bashrc()).toBe('# mine\nmore\n');
    expect(readdirSync(runtime.userHome)).toEqual(['.bashrc']);
  });
});

describe('what a rule for the file or host itself allows', () => {
  test('is given without a question', async () => {
    const runtime = building('echo more >> ~/.bashrc', {
      ruleFile: '[[path]]\nwrite = ["HOME/.bashrc"]\ndecision = "allow"\n',
    });
    await runtime.build();
    expect([runtime.questions, runtime.bashrc()]).toEqual([[], '# mine\nmore\n']);
  });

  test('leaves what it does not cover to be asked about', async () => {
    const runtime = building('echo more >> ~/.bashrc; echo more >> ~/.profile', {
      ruleFile: '[[path]]\nwrite = ["HOME/.bashrc"]\ndecision = "allow"\n',
    });
    writeFileSync(path.join(runtime.userHome, '.profile'), '');
    await runtime.build();
    expect(runtime.questions).toHaveLength(1);
    expect(runtime.questions[0]?.reason).toContain('.profile');
    expect(runtime.questions[0]?.reason).not.toContain('.bashrc');
    expect([runtime.bashrc(), attemptsIn(runtime)]).toEqual(['# mine\n', FIRST_ONLY]);
  });
});

describe('an answer for the session', () => {
  test('is about the rights that it was given for, not about the next ones of the same command', async () => {
    const runtime = building('echo more >> ~/.bashrc', { answers: ['session', 'deny'] });
    await runtime.build();
    mkdirSync(path.join(runtime.userHome, 'keys'));
    writeFileSync(path.join(runtime.project, 'build'), 'touch ~/keys/new; curl -sS -m 5 http://evil.example/; exit 1');
    await runtime.build();
    expect(runtime.bashrc()).toBe('# mine\nmore\n');
    expect(runtime.questions).toHaveLength(2);
    expect(readdirSync(path.join(runtime.userHome, 'keys'))).toEqual([]);
    expect(attemptsIn(runtime).filter(({ grants }) => grants.some(({ kind }) => kind === 'connect'))).toEqual([]);
  });
});
