/**
 * What a sandbox and runtimes make of the machine they find themselves on, printed as one line. It is bundled and started
 * where no namespaces can be made.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';

import { answerText, createCommandSandbox, createRuntime } from '../../src/index.js';
import type { ApprovalRequest, Confinement, Decision, ProbedBackend, RuntimeOptions } from '../../src/index.js';

export type LadderReport = {
  readonly probed: readonly ProbedBackend[];
  readonly confinement: Confinement;
  /** What a model hears of a command when nobody may be asked. */
  readonly never: string;
  readonly unanswered: string;
  /** Two commands, and the questions of somebody who says yes for the session to what is weaker, and no to more. */
  readonly asked: { readonly answers: readonly string[]; readonly questions: readonly Question[] };
  /** The same with the backend named by the user. */
  readonly named: { readonly answers: readonly string[]; readonly questions: readonly Question[] };
};

type Question = { readonly rule: string; readonly reason: string; readonly confined: boolean };

async function main(top: string): Promise<LadderReport> {
  const cwd = path.join(top, 'workspace');
  mkdirSync(cwd);
  const common: RuntimeOptions = { cwd, home: path.join(top, 'home'), sandbox: SETTINGS };
  const sandbox = createCommandSandbox(common);
  const probed = await sandbox.probe(['cell', 'bubblewrap', 'landlock']);
  const confinement = await sandbox.confinement();
  await sandbox.close();
  return {
    probed,
    confinement,
    never: (await answersOf({ ...common, approvalPolicy: 'never' }, ['echo ran'])).join(''),
    unanswered: (await answersOf(common, ['echo ran'])).join(''),
    asked: await askedIn(common),
    named: await askedIn({ ...common, sandbox: { ...SETTINGS, backend: 'landlock' } }),
  };
}

const SETTINGS = { excludeSlashTmp: true, excludeTmpdir: true } as const;

async function askedIn(options: RuntimeOptions): Promise<LadderReport['asked']> {
  const questions: Question[] = [];
  const approver = async ({ rule, reason, permission }: ApprovalRequest): Promise<Decision> => {
    questions.push({ rule: rule.name ?? '', reason, confined: permission.confined });
    return { kind: rule.name === 'weaker-sandbox' ? 'session' : 'deny' };
  };
  const scripts = ['echo first', 'echo second; echo x >../outside'];
  return { answers: await answersOf({ ...options, approver }, scripts), questions };
}

async function answersOf(options: RuntimeOptions, scripts: readonly string[]): Promise<readonly string[]> {
  const runtime = createRuntime(options);
  const answers: string[] = [];
  for (const cmd of scripts) {
    const payload = { kind: 'function', arguments: JSON.stringify({ cmd, login: false, shell: '/bin/sh' }) } as const;
    const { answer } = await runtime.runCall({ name: 'exec_command', payload });
    answers.push(answerText(answer));
  }
  await runtime.close();
  return answers;
}

process.stdout.write(`${JSON.stringify(await main(process.argv[2] ?? ''))}\n`);
