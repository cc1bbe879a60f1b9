/** The judge with everything real behind it, and verdicts in one word. */
import { absolutePath } from '../../src/index.js';
import type { Effect, Intent, Verdict } from '../../src/index.js';
import type { JudgeContext } from '../../src/policy/context.js';
import { judge } from '../../src/policy/judge.js';
import { createRuleBook } from '../../src/rules/rule-book.js';
import { readRuleFile } from '../../src/rule-files/rule-file.js';
import { readArgv, readText } from '../../src/shell/read-command.js';

export const PROJECT = absolutePath('/project');

/** `on-request` in a `workspace-write` sandbox that works, without rules. */
export const CONTEXT: JudgeContext = {
  approvalPolicy: 'on-request',
  sandboxMode: 'workspace-write',
  writableRoots: [PROJECT],
  network: false,
  confinement: { kind: 'available' },
  sandboxRequired: false,
  protectedFolders: [absolutePath('/project/.tenon'), absolutePath('/home/u/.tenon')],
  missing: [],
  rules: createRuleBook([]),
  home: absolutePath('/home/u'),
  realPath: absolutePath,
  reader: { readArgv, readText },
};

/** The same with the rules of a file; they must be without problems. */
export async function withRules(toml: string, change: Partial<JudgeContext> = {}): Promise<JudgeContext> {
  const read = await readRuleFile(toml, { file: 'rules.toml', home: '/home/u', base: PROJECT });
  if (read.problems.length > 0) throw new Error(JSON.stringify(read.problems));
  return { ...CONTEXT, rules: createRuleBook(read.rules), ...change };
}

/** A script as a model would have it run. */
export function script(text: string): Effect {
  return { kind: 'exec', argv: ['bash', '-lc', text], cwd: PROJECT };
}

/** `allow`, `allow unconfined`, `ask`, `ask unconfined` or `deny`. */
export function inOneWord(verdict: Verdict): string {
  if (verdict.kind === 'deny') return 'deny';
  return verdict.confined ? verdict.kind : `${verdict.kind} unconfined`;
}

export function verdictOn(what: Intent | Effect | string, context: JudgeContext = CONTEXT): Verdict {
  if (typeof what === 'string') return judge({ effects: [script(what)] }, context);
  return judge('effects' in what ? what : { effects: [what] }, context);
}
