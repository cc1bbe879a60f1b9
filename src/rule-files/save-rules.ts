/**
 * Keeps what a person allowed for good: rules are put at the end of `rules/approved.toml`, and not a byte of what stands
 * there is changed. The file is replaced as a whole, so whoever reads it sees it before or after.
 */
import path from 'node:path';

import type { ProposedRule } from '../core/effects.js';
import { ConfigError, messageOf } from '../core/errors.js';
import type { Rule } from '../rules/rules.js';
import { replaceFile } from '../store/replace-file.js';
import { withFileLock } from '../store/with-file-lock.js';
import { MOST_RULE_BYTES, decodeRules, isMissing, readRuleBytes, rulesFolder } from './load-rules.js';
import { readRuleFile } from './rule-file.js';
import type { RuleSource } from './rule-file.js';
import { ruleText } from './rule-text.js';

export type RuleHome = {
  /** Tenon's own folder, which holds `rules`. */
  readonly home: string;
  /** What `~` stands for. */
  readonly userHome: string;
};

/** The rules as they stand in the file, one for each proposal. Throws a `ConfigError` when they cannot be kept there. */
export async function saveRules(
  proposed: readonly ProposedRule[],
  { home, userHome }: RuleHome,
): Promise<readonly Rule[]> {
  if (proposed.length === 0) return [];
  const texts = proposed.map(ruleText);
  const file = path.join(rulesFolder(home), 'approved.toml');
  try {
    return await withFileLock(file, () => addTo(texts, { file, home: userHome }));
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`${file} cannot be changed: ${messageOf(error)}`, { cause: error });
  }
}

async function addTo(texts: readonly string[], source: RuleSource): Promise<readonly Rule[]> {
  const bytes = await readRuleBytes(source.file).catch((error: unknown) => {
    if (isMissing(error)) return Buffer.alloc(0);
    throw error;
  });
  const before = decodeRules(bytes);
  const wanted = await Promise.all(texts.map(async (text) => meaningOf(await onlyRule(text, source))));
  const known = new Set((await readWell(before, source)).map(meaningOf));
  const missing = [...new Set(wanted)].filter((meaning) => !known.has(meaning));
  const added = missing.map((meaning) => texts[wanted.indexOf(meaning)] ?? '').map(dated);
  const more = added.length === 0 ? '' : `${gapBehind(before)}${added.join('\n')}`;
  const rules = await readWell(before + more, source);
  const after = Buffer.concat([bytes, Buffer.from(more)]);
  if (after.length > MOST_RULE_BYTES) throw new Error('it would be bigger than 1 MiB; remove what is not needed');
  if (more !== '') await replaceFile(source.file, after);
  return wanted.flatMap((meaning) => rules.find((rule) => meaningOf(rule) === meaning) ?? []);
}

async function onlyRule(text: string, source: RuleSource): Promise<Rule> {
  const { rules, problems } = await readRuleFile(text, source);
  const [rule] = rules;
  if (rule && problems.length === 0) return rule;
  throw new ConfigError(`the rule cannot be saved: ${problems[0]?.message ?? 'it says nothing'}`);
}

/** What makes two rules the same, wherever and why they were written. */
function meaningOf({ file: _file, line: _line, justification: _justification, ...rest }: Rule): string {
  return JSON.stringify(Object.entries(rest).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

async function readWell(text: string, source: RuleSource): Promise<readonly Rule[]> {
  const { rules, problems } = await readRuleFile(text, source);
  if (problems.length === 0) return rules;
  const told = problems.map(({ line, message }) => `${source.file}:${line}: ${message}`);
  throw new ConfigError(`${told.join('\n')}\nNothing was saved; correct the file first.`);
}

function dated(text: string): string {
  return `# Allowed on ${new Date().toISOString().slice(0, 10)}.\n${text}`;
}

/** An empty line between what is there and what follows. */
function gapBehind(before: string): string {
  if (before === '') return '';
  return before.endsWith('\n') ? '\n' : '\n\n';
}
