/** The environment a command gets: the user's, less what the policy keeps back, plus what keeps output readable. */
import type { EnvironmentPolicy } from '../core/environment-policy.js';
import { nameMatcher } from './name-pattern.js';

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
export function commandEnvironment(inherited: Inherited, policy: EnvironmentPolicy): Record<string, string> {
  return underPolicy(passedOn(inherited, policy), policy, FORCED);
}

/** The same for a command that a person runs at their own terminal: nothing is forced upon it. */
export function ownEnvironment(inherited: Inherited, policy: EnvironmentPolicy): Record<string, string> {
  return underPolicy(passedOn(inherited, policy), policy, {});
}

/** The variables of a command, from what a login shell reports: a profile may export secrets and set a pager. */
export function afterLogin(
  reported: Readonly<Record<string, string>>,
  policy: EnvironmentPolicy,
): Record<string, string> {
  return underPolicy(Object.entries(reported), policy, FORCED);
}

type Inherited = Readonly<Record<string, string | undefined>>;
type Variable = [name: string, value: string];

function passedOn(inherited: Inherited, { inherit }: EnvironmentPolicy): readonly Variable[] {
  return Object.entries(inherited).filter(
    (variable): variable is Variable => variable[1] !== undefined && isInherited(variable[0], inherit),
  );
}

/** Case is not looked at, because Windows spells it `Path` and means `PATH`. */
function isInherited(name: string, inherit: EnvironmentPolicy['inherit']): boolean {
  return inherit === 'all' || (inherit === 'core' && CORE_NAMES.has(name.toUpperCase()));
}

function underPolicy(
  variables: readonly Variable[],
  policy: EnvironmentPolicy,
  forced: Readonly<Record<string, string>>,
): Record<string, string> {
  const isExcluded = nameMatcher([...(policy.ignoreDefaultExcludes ? [] : SECRET_NAMES), ...policy.exclude]);
  const isIncluded = policy.includeOnly.length === 0 ? () => true : nameMatcher(policy.includeOnly);
  const kept = variables.filter(([name]) => !isExcluded(name) && isIncluded(name));
  return { ...Object.fromEntries(kept), ...forced, ...policy.set };
}
