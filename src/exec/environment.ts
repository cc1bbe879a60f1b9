/**
 * The environment a command gets: the user's, less what the policy keeps back, plus what keeps output readable.
 *
 * A pattern is literal text in any case, with `*` for any run, `?` for any one character and `[abc]`, `[a-z]` or
 * `[!abc]` for one of a set. A bracket that opens no set is literal.
 */
import type { EnvironmentPolicy } from '../core/environment-policy.js';

const SECRET_NAMES = ['*KEY*', '*SECRET*', '*TOKEN*', '*PASSWORD*'];

const CORE_NAMES = new Set([
  ...'HOME LOGNAME PATH SHELL USER USERNAME TMPDIR TEMP TMP'.split(' '),
  // Without these hardly any program starts on Windows.
  ...'PATHEXT SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC OS PSMODULEPATH USERDOMAIN USERPROFILE'.split(' '),
  ...'HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86)'.split(' '),
  ...'PROGRAMW6432 PROCESSOR_ARCHITECTURE NUMBER_OF_PROCESSORS'.split(' '),
]);

/** Pagers and colours would hang a command or clutter its output; the locale fixes the words of system errors. */
const FORCED: Readonly<Record<string, string>> = {
  NO_COLOR: '1',
  TERM: 'dumb',
  COLORTERM: '',
  LANG: 'C.UTF-8',
  LC_CTYPE: 'C.UTF-8',
  LC_ALL: 'C.UTF-8',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GH_PAGER: 'cat',
};

/** The variables of a command, from those of this process. */
export function commandEnvironment(
  inherited: Readonly<Record<string, string | undefined>>,
  policy: EnvironmentPolicy,
): Record<string, string> {
  const passedOn = Object.entries(inherited).filter(
    (variable): variable is Variable => variable[1] !== undefined && isInherited(variable[0], policy.inherit),
  );
  return underPolicy(passedOn, policy);
}

/** The variables of a command, from what a login shell reports: a profile may export secrets and set a pager. */
export function afterLogin(
  reported: Readonly<Record<string, string>>,
  policy: EnvironmentPolicy,
): Record<string, string> {
  return underPolicy(Object.entries(reported), policy);
}

type Variable = [name: string, value: string];

/** Case is not looked at, because Windows spells it `Path` and means `PATH`. */
function isInherited(name: string, inherit: EnvironmentPolicy['inherit']): boolean {
  return inherit === 'all' || (inherit === 'core' && CORE_NAMES.has(name.toUpperCase()));
}

function underPolicy(variables: readonly Variable[], policy: EnvironmentPolicy): Record<string, string> {
  const isExcluded = matcher([...(policy.ignoreDefaultExcludes ? [] : SECRET_NAMES), ...policy.exclude]);
  const isIncluded = policy.includeOnly.length === 0 ? () => true : matcher(policy.includeOnly);
  const kept = variables.filter(([name]) => !isExcluded(name) && isIncluded(name));
  return { ...Object.fromEntries(kept), ...FORCED, ...policy.set };
}

function matcher(patterns: readonly string[]): (name: string) => boolean {
  const parsed = patterns.map(parsePattern);
  return (name) => {
    const characters = [...name];
    return parsed.some((parts) => fits(characters, parts));
  };
}

/** A test of one character, or a run of any. */
type Part = '*' | ((character: string) => boolean);

function parsePattern(pattern: string): readonly Part[] {
  return Array.from(pattern.matchAll(/\[(?<not>!?)(?<set>[^[\]]+)\]|[^]/gu), ({ 0: text, groups = {} }) => {
    const { not, set } = groups;
    if (set !== undefined) return oneOf(set, not === '!');
    if (text === '*') return '*';
    return text === '?' ? () => true : sameLetter(text);
  });
}

function oneOf(set: string, negated: boolean): Part {
  const ranges = Array.from(set.matchAll(/(?<from>[^])-(?<to>[^])|[^]/gu), ({ 0: text, groups = {} }) => {
    const { from = text, to = text } = groups;
    return inRange(from, to);
  });
  return (character) => ranges.some((range) => range(character)) !== negated;
}

function inRange(from: string, to: string): (character: string) => boolean {
  const isBetween = (character: string) => from <= character && character <= to;
  return (character) => isBetween(character.toLowerCase()) || isBetween(character.toUpperCase());
}

function sameLetter(letter: string): (character: string) => boolean {
  const folded = letter.toLowerCase();
  return (character) => character.toLowerCase() === folded;
}

/** On a mismatch only the last `*` takes one character more: earlier ones need no second try, so work stays small. */
function fits(characters: readonly string[], parts: readonly Part[]): boolean {
  let index = 0;
  let part = 0;
  let retry: { index: number; readonly part: number } | undefined;
  for (;;) {
    const character = characters[index];
    const wanted = parts[part];
    if (wanted === '*') {
      part += 1;
      retry = { index, part };
    } else if (character === undefined) {
      return wanted === undefined;
    } else if (wanted?.(character)) {
      index += 1;
      part += 1;
    } else if (retry) {
      retry.index += 1;
      ({ index, part } = retry);
    } else {
      return false;
    }
  }
}
