/**
 * The built-in policy put together: the judge with the rules of the user and what reads scripts. Each part is loaded when
 * the first call needs it, so that a runtime that judges nothing pays for nothing.
 */
import type { KeepRules } from './core/approval.js';
import { once } from './core/once.js';
import type { Intent, Judge, ProposedRule, DecidingRule } from './core/effects.js';
import type { Confinement, JudgeContext, ShellReader } from './policy/context.js';
import { createRuleBook } from './rules/rule-book.js';
import type { RuleBook } from './rules/rule-book.js';
import { named } from './policy/rule-words.js';
import type { Rule, RuleStore } from './rules/rules.js';

export type JudgeOptions = Omit<JudgeContext, 'missing' | 'rules' | 'reader' | 'confinement'> & {
  readonly store: RuleStore;
  /** Asked when a command is judged. */
  readonly confinement: () => Promise<Confinement>;
};

export interface PolicyJudge {
  readonly judge: Judge;
  /** Adds rules for good; they hold from the next call on. Absent when the store takes none. */
  readonly keep: KeepRules | undefined;
  /** Loads what judging a command needs; the sandbox has its own way to be asked ahead. */
  getReady(): void;
  /** The rules as they are now, for whoever holds commands to them. */
  rules(): Promise<RuleBook>;
}

export function createJudge({ store, confinement, ...settings }: JudgeOptions): PolicyJudge {
  // Asking for a module again costs more than a verdict, even when it is loaded.
  const judging = once(() => import('./policy/judge.js'));
  const reading = once(() => import('./shell/read-command.js'));
  const loading = once(() => store.load());
  const saved: Rule[] = [];
  let book: RuleBook | undefined;

  async function ruleBook(): Promise<RuleBook> {
    const rules = await loading();
    return (book ??= createRuleBook([...rules, ...saved], { foldCase: FOLDS_CASE }));
  }

  async function keep(proposal: readonly ProposedRule[]): Promise<readonly DecidingRule[]> {
    const rules = (await store.save?.(proposal)) ?? [];
    saved.push(...rules);
    book = undefined;
    return rules.map(named);
  }

  return {
    async judge(intent, missing) {
      const { judge } = await judging();
      const rules = judgesNothing(intent) ? NO_RULES : await ruleBook();
      if (!runsCommands(intent)) {
        return judge(intent, { ...settings, missing, rules, reader: NO_READER, confinement: NOT_ASKED });
      }
      const [reader, found] = await Promise.all([reading(), confinement()]);
      return judge(intent, { ...settings, missing, rules, reader, confinement: found });
    },
    getReady() {
      // What cannot be loaded is told of by the call that needs it.
      void Promise.allSettled([judging(), reading(), ruleBook()]);
    },
    rules: ruleBook,
    keep: store.save && keep,
  };
}

const FOLDS_CASE = process.platform === 'darwin' || process.platform === 'win32';
const NO_RULES = createRuleBook([]);

function judgesNothing({ effects }: Intent): boolean {
  return effects.length === 0;
}

/** Most calls of file tools never need a parser. */
function runsCommands({ effects }: Intent): boolean {
  return effects.some(({ kind }) => kind === 'exec' || kind === 'type');
}

/** Only commands are confined. */
const NOT_ASKED: Confinement = { kind: 'none', reason: 'there is nothing to confine' };

const NO_READER: ShellReader = { readArgv: notLoaded, readText: notLoaded };

function notLoaded(): never {
  throw new Error('nothing that reads scripts was loaded');
}
