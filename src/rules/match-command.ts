/**
 * Whether a rule holds for a command of which some words are known only when it runs. The answer has three values, as
 * what is not sure must neither allow anything nor get by a rule that forbids it.
 */
import path from 'node:path';

import { isInside } from '../core/paths.js';
import type { AbsolutePath } from '../core/paths.js';
import { isExact } from '../shell/reading.js';
import type { UnknownWord, Word } from '../shell/reading.js';
import { systemProgram } from '../shell/system-program.js';
import { foldCase } from './fold-case.js';
import type { CommandRule } from './rules.js';

export type Certainty = 'yes' | 'maybe';

/** What of a rule is compared with the words of a command. */
export type WordsPattern = Pick<CommandRule, 'pattern' | 'exact' | 'decision'>;

/** `fold`: whether the system takes names of files for the same in upper and lower case. */
export function matchWords(rule: WordsPattern, words: readonly Word[], fold: boolean): Certainty | undefined {
  let certainty: Certainty = 'yes';
  for (const [place, alternatives] of rule.pattern.entries()) {
    const word = words[place];
    if (word === undefined) return undefined;
    const fit = place === 0 ? fitOfName(rule, word, fold) : fitOfWord(alternatives, word);
    if (fit === undefined) return undefined;
    if (fit === 'maybe') certainty = 'maybe';
    // Nobody can tell which word is compared with which place from here on.
    if (!isExact(word) && word.splits) return 'maybe';
  }
  const rest = words.slice(rule.pattern.length);
  if (!rule.exact || rest.length === 0) return certainty;
  return rest.every(mayVanish) ? 'maybe' : undefined;
}

/** Whether a rule that holds only in a folder holds where a command may run. */
export function matchFolders(
  { cwd, decision }: Pick<CommandRule, 'cwd' | 'decision'>,
  folders: readonly string[] | undefined,
  fold: boolean,
): Certainty | undefined {
  if (cwd === undefined) return 'yes';
  if (folders === undefined || folders.length === 0) return 'maybe';
  const form = fold && decision !== 'allow' ? foldCase : String;
  const inside = folders.filter((folder) => isInside(form(cwd) as AbsolutePath, form(folder) as AbsolutePath));
  if (inside.length === 0) return undefined;
  return inside.length === folders.length ? 'yes' : 'maybe';
}

/** Rules whose first word has another key than a command's do not hold for it. */
export function nameKey(word: string, fold: boolean): string {
  const name = path.basename(word);
  return fold ? foldCase(name) : name;
}

function fitOfName({ pattern, decision }: WordsPattern, word: Word, fold: boolean): Certainty | undefined {
  const names = pattern[0] ?? [];
  if (!isExact(word)) return 'maybe';
  // Only the program that everybody means by a name is allowed by it.
  if (decision === 'allow')
    return names.some((name) => name === word || name === systemProgram(word)) ? 'yes' : undefined;
  return names.some((name) => isNamed(word, name, fold)) ? 'yes' : undefined;
}

function isNamed(word: string, name: string, fold: boolean): boolean {
  if (!isPath(name)) return nameKey(word, fold) === (fold ? foldCase(name) : name);
  return fold ? foldCase(word) === foldCase(name) : word === name;
}

function isPath(name: string): boolean {
  return name.includes('/') || name.includes(path.sep);
}

function fitOfWord(alternatives: readonly string[], word: Word): Certainty | undefined {
  if (isExact(word)) return alternatives.includes(word) ? 'yes' : undefined;
  return alternatives.some((each) => mayBecome(word, each)) ? 'maybe' : undefined;
}

function mayBecome(word: UnknownWord, text: string): boolean {
  return text.startsWith(word.begins) || mayVanish(word);
}

/** Whether it may be no word at all. */
function mayVanish(word: Word): boolean {
  return !isExact(word) && word.splits && word.begins === '';
}
