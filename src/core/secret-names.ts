/** What may be a secret, judged by its name, and the one word that stands in its place. */

export const HIDDEN = '(hidden)';

/** Of a variable, a setting, a header: whether its name says that it holds a secret. */
export function looksSecret(name: string): boolean {
  return LOOKS_SECRET.test(name);
}

/** Of headers and parameters of an address anything may be one, whatever it is called, but for versions. */
export function mayBeSecret(name: string): boolean {
  return !VERSION.test(name);
}

/** An author is nobody's secret. */
const LOOKS_SECRET =
  /auth(?!or(?!i))|key|token|secret|passw(?:or)?d|credential|cookie|session|signature|^(?:sig|code|pat)$/i;
const VERSION = /(?:^|[-_.])version$/i;
