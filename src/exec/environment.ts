/** The environment a command gets: the user's, less what looks like a secret, plus what keeps output readable. */

const SECRET_NAME = /KEY|SECRET|TOKEN|PASSWORD/i;

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

export function commandEnvironment(inherited: NodeJS.ProcessEnv): Record<string, string> {
  const harmless = Object.entries(inherited).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !SECRET_NAME.test(entry[0]),
  );
  return { ...Object.fromEntries(harmless), ...FORCED };
}
