/** A runtime whose commands are confined, over a project with a home beside it, and somebody who answers as told. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { DEFAULT_ENVIRONMENT_POLICY } from '../../src/core/environment-policy.js';
import type { ApprovalRequest, Decision, Grant, Permission, RuntimeEvent, RuntimeOptions } from '../../src/index.js';
import { commandRuntime } from './commands.js';
import type { CommandRuntime } from './commands.js';
import { tempFolder } from './temp-folder.js';

export type SandboxedOptions = Omit<RuntimeOptions, 'cwd' | 'home' | 'approver'> & {
  /** What the questions are answered with, in turn; the last one goes on. Default: no. */
  readonly answers?: readonly Decision['kind'][];
  /** A file of rules, written before anything runs; `HOME` and `PROJECT` stand for these folders. */
  readonly ruleFile?: string;
};

export type SandboxedRuntime = CommandRuntime & {
  readonly project: string;
  /** The user's home, in which nothing may be written. */
  readonly userHome: string;
  /** Tenon's own folder. */
  readonly ownHome: string;
  readonly questions: readonly ApprovalRequest[];
  /** Runs a script to its end, or to its answer. */
  sh(cmd: string, rest?: object): ReturnType<CommandRuntime['call']>;
};

export function sandboxedRuntime({
  answers = ['deny'],
  ruleFile,
  ...options
}: SandboxedOptions = {}): SandboxedRuntime {
  const { project, userHome, ownHome } = grounds();
  if (ruleFile !== undefined) {
    mkdirSync(path.join(ownHome, 'rules'));
    const rules = ruleFile.replaceAll('HOME', userHome).replaceAll('PROJECT', project);
    writeFileSync(path.join(ownHome, 'rules/own.toml'), rules);
  }
  const questions: ApprovalRequest[] = [];
  const runtime = commandRuntime({
    sandboxMode: 'workspace-write',
    // What runs the tests may have settings of its own for npm.
    environmentPolicy: { ...DEFAULT_ENVIRONMENT_POLICY, exclude: ['npm_*'], set: { HOME: userHome } },
    ...options,
    cwd: project,
    home: ownHome,
    // Everything of a test lies in the folder for temporary files, which could be written to otherwise.
    sandbox: { excludeSlashTmp: true, excludeTmpdir: true, ...options.sandbox },
    approver: async (request) => {
      questions.push(request);
      return { kind: answers[questions.length - 1] ?? answers.at(-1) ?? 'deny' };
    },
  });
  const sh = (cmd: string, rest: object = {}): ReturnType<CommandRuntime['call']> =>
    runtime.call('exec_command', { cmd, login: false, shell: '/bin/bash', yield_time_ms: 30_000, ...rest });
  return { ...runtime, project, userHome, ownHome, questions, sh };
}

/** A project, the home of a user and one of Tenon's, beside each other. */
export function grounds(): { readonly project: string; readonly userHome: string; readonly ownHome: string } {
  const root = tempFolder();
  const [project = '', userHome = '', ownHome = ''] = ['project', 'home', 'tenon'].map((name) => {
    const folder = path.join(root, name);
    mkdirSync(folder, { mode: 0o700 });
    return folder;
  });
  return { project, userHome, ownHome };
}

type FoundDenial = Pick<Extract<RuntimeEvent, { type: 'attempt.denied' }>, 'attempt' | 'kind' | 'target' | 'proof'>;

/** What was found to be blocked, as the events tell it. */
export function denialsIn({ record }: SandboxedRuntime): readonly FoundDenial[] {
  return record.of('attempt.denied').map(({ attempt, kind, target, proof }) => ({ attempt, kind, target, proof }));
}

/** With which rights each question would have the call run. */
export function permissionsAsked({ questions }: SandboxedRuntime): readonly Permission[] {
  return questions.map(({ permission }) => permission);
}

/** The rights of every attempt. */
export function attemptsIn({ record }: SandboxedRuntime): readonly Permission[] {
  return record.of('attempt.started').map(({ confined, grants }) => ({ confined, grants: grants as readonly Grant[] }));
}
