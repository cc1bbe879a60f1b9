/** The variables that a script sets, and what becomes uncertain by that. */
import { ARITHMETIC } from './blind-spots.js';
import { namesSetBy } from './builtins.js';
import type { Place } from './place.js';
import type { Word } from './reading.js';

/** Filled while a script is looked through. */
export type Names = {
  /** Set for the rest of the script. */
  readonly kept: Set<string>;
  /** Handed to programs, whatever they are called. */
  readonly exported: Set<string>;
  /** Set for one command alone. */
  readonly passing: Set<string>;
};

export function noNames(): Names {
  return { kept: new Set(), exported: new Set(), passing: new Set() };
}

export function addNamesSetBy(words: readonly Word[], { kept, exported }: Names): void {
  const set = namesSetBy(words);
  for (const name of set.names) (set.exported ? exported : kept).add(name);
}

/** Variables of the environment are in capitals by custom; the others stay in the shell until they are exported. */
export function reachingPrograms({ kept, exported }: Names): readonly string[] {
  return [...new Set([...[...kept].filter((name) => /[^a-z0-9_]/.test(name)), ...exported])];
}

export function placeWith(names: Names, place: Place): Place {
  const all = everyName(names);
  const home = all.has('HOME') || all.has('IFS') ? undefined : place.home;
  return { ...place, home, folders: all.has('CDPATH') ? undefined : place.folders };
}

/** Names that decide how a shell takes the words after them: a prompt is evaluated, a table of commands looked up. */
const BEWITCHED = ['PS4', 'BASH_ALIASES', 'BASH_CMDS', 'BASH_COMPAT', 'BASHOPTS', 'SHELLOPTS', 'POSIXLY_CORRECT'];

/** Numbers of the shell, whose values are calculated as soon as they are set. */
const NUMBERS = ['BASHPID', 'BASH_SUBSHELL', 'HISTCMD', 'LINENO', 'OPTIND', 'RANDOM', 'SECONDS', 'SRANDOM'];

export function unclearBy(names: Names, { goesOn }: Place): readonly string[] {
  const all = everyName(names);
  const reasons = [];
  if (BEWITCHED.some((name) => all.has(name))) reasons.push('it sets a variable that changes how the shell reads');
  if (NUMBERS.some((name) => all.has(name))) reasons.push(ARITHMETIC);
  // Those for one command alone are set in a function too that stands outside.
  if (goesOn && reachingPrograms(names).length + names.passing.size > 0) {
    reasons.push('it sets variables for other commands');
  }
  return reasons;
}

function everyName({ kept, exported, passing }: Names): ReadonlySet<string> {
  return new Set([...kept, ...exported, ...passing]);
}
