/** Which program a word calls. */
import type { Word } from '../shell/reading.js';

const SYSTEM_FOLDERS = new Set([
  '/bin',
  '/usr/bin',
  '/usr/local/bin',
  '/sbin',
  '/usr/sbin',
  '/usr/local/sbin',
  '/opt/homebrew/bin',
]);

/** The name of a program of the system, with or without its folder; what lies elsewhere may be anything. */
export function programName(word: Word | undefined): string | undefined {
  if (typeof word !== 'string' || word === '') return undefined;
  if (!word.includes('/')) return word;
  const slash = word.lastIndexOf('/');
  const isOurs = SYSTEM_FOLDERS.has(word.slice(0, slash)) && slash < word.length - 1;
  return isOurs ? word.slice(slash + 1) : undefined;
}

/** The name behind whatever path, in lower case: there are file systems on which `RM` is `rm`. */
export function anyProgramName(word: Word | undefined): string | undefined {
  if (typeof word !== 'string') return undefined;
  const name = word.slice(word.lastIndexOf('/') + 1).toLowerCase();
  return name === '' ? undefined : name;
}
