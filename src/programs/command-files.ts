/** Which files and hosts the words of a command name. */
import { isExact, sureText } from '../shell/reading.js';
import type { Word } from '../shell/reading.js';
import { FILE_HABITS, NO_FILES } from './command-file-table.js';

import { filesByHabit, filesRead, possibleFiles } from './file-habits.js';
import type { CommandFile } from './file-habits.js';
import { FILE_PROGRAMS } from './file-programs.js';
import { withSubCommand } from './global-options.js';
import { hostsInText, hostsOfProgram, isNetworkProgram } from './host-words.js';
import { anyProgramName, programName } from './program-name.js';

/** Of a program that is not known, every word may be a file. */
export function filesOf(words: readonly Word[]): readonly CommandFile[] {
  const [program, ...operands] = withSubCommand(words);
  if (program === undefined) return [];
  const name = programName(program) ?? '';
  if (NO_FILES.has(name)) return [];
  // `python3.12`
  const habits = FILE_HABITS.get(name) ?? FILE_HABITS.get(name.replace(/[\d.]+$/, ''));
  if (habits !== undefined) return filesByHabit(operands, habits);
  const known = FILE_PROGRAMS.get(name);
  if (known !== undefined) return known(operands);
  const isFile = name === '' && sureText(program).includes('/');
  return [...(isFile ? filesRead([program], false) : []), ...possibleFiles(operands)];
}

export function speaksToNetwork(words: readonly Word[]): boolean {
  return isNetworkProgram(anyProgramName(words[0]) ?? '');
}

/** In lower case, each once, addresses without brackets. */
export function hostsOf(words: readonly Word[]): readonly string[] {
  const operands = words.slice(1);
  const texts = operands.flatMap((word) => (isExact(word) ? hostsInText(word, false) : hostsInText(word.begins, true)));
  const [program, ...rest] = withSubCommand(words);
  return [...new Set([...texts, ...hostsOfProgram(anyProgramName(program) ?? '', rest)])];
}
