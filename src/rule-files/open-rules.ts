/** The way to the rules of the user. What reads and writes them is loaded when it is needed. */
import os from 'node:os';

import type { ProposedRule } from '../core/effects.js';
import type { Rules } from '../rules/rules.js';
import type { RuleReport } from './load-rules.js';

export type RulePlaces = {
  /** Tenon's own folder, which holds `rules`. */
  readonly home: string;
  /** What `~` stands for in a rule. Default: the user's home folder. */
  readonly userHome?: string;
  /** A project whose own rules hold as well, because it is trusted. */
  readonly project?: { readonly root: string };
};

/** Throws a `ConfigError` that lists all problems, a line for each, as `FILE:LINE: problem`. */
export async function loadRules({ userHome = os.homedir(), ...places }: RulePlaces): Promise<Rules> {
  const rules = await import('./load-rules.js');
  return rules.loadRules({ ...places, userHome });
}

/** What is wrong with each file of rules; with the given file alone if there is one. */
export async function checkRules(
  { userHome = os.homedir(), ...places }: RulePlaces,
  file?: string,
): Promise<readonly RuleReport[]> {
  const rules = await import('./load-rules.js');
  if (file === undefined) return rules.readRules({ ...places, userHome });
  const { project } = places;
  return [await rules.checkRuleFile(file, { home: userHome, ...(project && { base: project.root }) })];
}

/** Adds to `rules/approved.toml` what does not stand there yet. */
export async function saveRules(
  proposed: readonly ProposedRule[],
  { home, userHome = os.homedir() }: Pick<RulePlaces, 'home' | 'userHome'>,
): Promise<Rules> {
  const rules = await import('./save-rules.js');
  return rules.saveRules(proposed, { home, userHome });
}
