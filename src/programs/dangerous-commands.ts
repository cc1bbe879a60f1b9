/** Which commands are asked about even where others are not: they destroy, publish or stop. */
import { isExact, sureText } from '../shell/reading.js';
import type { UnknownWord, Word } from '../shell/reading.js';
import { isOption, namesOption, readOptions } from './command-options.js';
import { DANGERS } from './dangerous-command-table.js';
import type { Danger } from './dangerous-command-table.js';
import { splitGlobalOptions } from './global-options.js';
import { anyProgramName } from './program-name.js';

/** Programs that are whatever their first word says. */
const MANY_IN_ONE = new Set(['busybox', 'toybox']);

/** Why a command is dangerous, in words for people and models; undefined if it is not known to be. */
export function dangerOf(words: readonly Word[]): string | undefined {
  const start = words.findIndex((word) => !MANY_IN_ONE.has(anyProgramName(word) ?? ''));
  const { words: command } = splitGlobalOptions(start < 0 ? [] : words.slice(start));
  const name = anyProgramName(command[0]) ?? '';
  // `mkfs.ext4`, `newfs_apfs`
  const dangers = DANGERS.get(name) ?? DANGERS.get(name.replace(/^(mkfs|newfs)[._].*$/, '$1')) ?? [];
  const subCommands = subCommandsOf(command.slice(1));
  for (const danger of dangers) {
    if (FOLLOWING.get(danger)?.test(subCommands) === false) continue;
    const why = reasonFor(danger, command.slice(1));
    if (why !== undefined) return `${name} ${why}`;
  }
  return undefined;
}

function reasonFor(danger: Danger, words: readonly Word[]): string | undefined {
  if (danger.unless && hasOption(words, danger.unless, danger.takes ?? [])) return undefined;
  const { word: pattern } = danger;
  if (pattern && !(danger.signal ? withoutSignal(words) : words).some((word) => reads(word, pattern))) return undefined;
  const guesses: UnknownWord[] = [];
  for (const names of [danger.when, danger.and]) {
    const found = names === undefined ? 'sure' : findOption(words, names, danger.certainly ?? false);
    if (found === undefined) return undefined;
    if (found !== 'sure') guesses.push(found);
  }
  const [guess] = guesses;
  return guess === undefined ? danger.why : `${danger.why}, and ${guess.source} may bring that option`;
}

/** How the sub-commands must begin for each of those that say so. */
const FOLLOWING: ReadonlyMap<Danger, RegExp> = new Map(
  [...DANGERS.values()]
    .flat()
    .flatMap((danger) =>
      danger.after === undefined ? [] : [[danger, new RegExp(`^(?:${danger.after})(?: |$)`)] as const],
    ),
);

/** Options and words that may be options do not keep a sub-command from being the first. */
function subCommandsOf(words: readonly Word[]): string {
  const commands = words.flatMap((word) => {
    if (!isExact(word)) return word.splits ? [] : ['?'];
    return word.startsWith('-') ? [] : [word.toLowerCase()];
  });
  return commands.join(' ');
}

function hasOption(words: readonly Word[], names: readonly string[], takes: readonly string[]): boolean {
  return readOptions(words, { takes }).options.some((option) => names.includes(option.name));
}

/** `kill -1 500` hangs up one process; `kill -9 -1` ends all. */
function withoutSignal(words: readonly Word[]): readonly Word[] {
  const [first] = words;
  return typeof first === 'string' && isOption(first) ? words.slice(1) : words;
}

function reads(word: Word, pattern: RegExp): boolean {
  return sureText(word) !== '' && pattern.test(sureText(word));
}

/** Whether one of these options is there for sure, or else the word that may turn out to be it. */
function findOption(
  words: readonly Word[],
  names: readonly string[],
  certainly: boolean,
): 'sure' | UnknownWord | undefined {
  const end = words.indexOf('--');
  const open = end < 0 ? words : words.slice(0, end);
  if (open.some((word) => isExact(word) && namesOption(word, names))) return 'sure';
  if (certainly) return undefined;
  return open.find((word): word is UnknownWord => typeof word !== 'string' && mayBecome(word, names));
}

/** `*.o`, but not `*`, which is everything there is. */
const FILE_PATTERN = /^(?=.*[*?[])(?=.*[^*?])[^$`({]+$/s;

/** A quoted variable is hardly ever an option, and neither is the name of a file that a pattern finds. */
function mayBecome(word: UnknownWord, names: readonly string[]): boolean {
  const { begins, source } = word;
  if (begins === '') return word.splits && !FILE_PATTERN.test(source);
  if (!begins.startsWith('-')) return false;
  if (begins.includes('=')) return namesOption(begins, names);
  if (begins.startsWith('--')) return names.some((name) => name.startsWith(begins));
  return begins === '-' || names.some((name) => name.length === 2 || name.startsWith(begins));
}
