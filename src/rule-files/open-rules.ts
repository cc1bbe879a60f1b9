/** The user's rules in their files. What reads and writes them is loaded when it is needed. */
import type { RuleStore } from '../rules/rules.js';
import { userFolder } from '../store/home.js';
import type { RuleReport } from './load-rules.js';

export type RulePlaces = {
  /** Tenon's own folder, which holds `rules`. */
  readonly home: string;
  /** What `~` stands for in a rule. Default: the user's home folder. */
  readonly userHome?: string;
  /** A project whose own rules hold as well, because it is trusted. */
  readonly project?: { readonly root: string };
};

/** All of them are loaded; new ones are added to `rules/approved.toml`. */
export function openRules({ userHome = userFolder(), ...places }: RulePlaces): Required<RuleStore> {
  return {
    async load() {
      const { loadRules } = await import('./load-rules.js');
      return loadRules({ ...places, userHome });
    },
    async save(proposed) {
      const { saveRules } = await import('./save-rules.js');
      return saveRules(proposed, { home: places.home, userHome });
    },
  };
}

/** What is wrong with each file of rules; with the given file alone if there is one. */
export async function checkRules(
  { userHome = userFolder(), ...places }: RulePlaces,
  file?: string,
): Promise<readonly RuleReport[]> {
  const { checkRuleFile, readRules } = await import('./load-rules.js');
  if (file === undefined) return readRules({ ...places, userHome });
  const { project } = places;
  return [await checkRuleFile(file, { home: userHome, ...(project && { base: project.root }) })];
}
