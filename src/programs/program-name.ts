/** Which program a word calls. */
import { isExact } from '../shell/reading.js';
import type { Word } from '../shell/reading.js';
import { systemProgram } from '../shell/system-program.js';

/** The name of a program of the system; what lies elsewhere may be anything. */
export function programName(word: Word | undefined): string | undefined {
  return isExact(word) ? systemProgram(word) : undefined;
}

/** The name behind whatever path, in lower case: there are file systems on which `RM` is `rm`. */
export function anyProgramName(word: Word | undefined): string | undefined {
  if (!isExact(word)) return undefined;
  const name = word.slice(word.lastIndexOf('/') + 1).toLowerCase();
  return name === '' ? undefined : name;
}
