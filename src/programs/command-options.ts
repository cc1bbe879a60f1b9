/**
 * How the words of a command read as options: clusters such as `-lz`, values glued or apart, long names cut short.
 * Of a word that only the run will tell, nothing is taken for granted but what it surely begins with.
 */
import { isExact, sureText } from '../shell/reading.js';
import type { UnknownWord, Word } from '../shell/reading.js';

/** Whether a word names one of these options, be it in a cluster, with a value or cut short. */
export function namesOption(word: string, names: readonly string[], takes: readonly string[] = []): boolean {
  if (!isOption(word)) return false;
  const name = nameOf(word);
  if (word.startsWith('--')) return names.some((each) => each.startsWith('--') && each.startsWith(name));
  return names.includes(name) || lettersOf(word, takes).some((letter) => names.includes(letter));
}

/** Whether a word may turn out to be an option, or to bring one along. */
export function mayBringOption(word: UnknownWord): boolean {
  if (word.begins === '' || word.begins.startsWith('-')) return true;
  return word.splits && !keepsBeginning(word);
}

/** Whether all that a word may become begins as it does: patterns for files, and no variable or command in it. */
function keepsBeginning({ source }: UnknownWord): boolean {
  return !/[$`(]/.test(source);
}

export function isOption(word: string): boolean {
  return word.startsWith('-') && word !== '-' && word !== '--';
}

/** The option without its value: `--output` of `--output=x`. */
export function nameOf(word: string): string {
  return word.split('=', 1)[0] ?? word;
}

/** `-l` and `-z` of `-lz`, up to the first that takes the rest as its value. */
function lettersOf(word: string, takes: readonly string[]): readonly string[] {
  const letters = Array.from(word.slice(1), (letter) => `-${letter}`);
  const last = letters.findIndex((letter) => takes.includes(letter));
  return last < 0 ? letters : letters.slice(0, last + 1);
}

export type OptionUse = { readonly name: string; readonly value?: Word };
type OptionHabits = {
  /** Options with a value, glued or in the next word. */
  readonly takes: readonly string[];
  /** Options with a value that is glued or missing. */
  readonly glued?: readonly string[];
  /** Options with a name and a value, each a word. */
  readonly pairs?: readonly string[];
  /** Options without a value, which are not another cut short: `--list` is not `--listed-incremental`. */
  readonly flags?: readonly string[];
  /** Options such as `-ps` that look like two. */
  readonly entire?: readonly string[];
};

/** Options and operands apart, as `getopt_long` reads them. A word that is not known counts as an operand. */
export function readOptions(
  words: readonly Word[],
  habits: OptionHabits,
): { readonly options: readonly OptionUse[]; readonly operands: readonly Word[] } {
  const all = readArguments(words, habits);
  return {
    options: all.flatMap((each) => ('name' in each ? [each] : [])),
    operands: all.flatMap((each) => ('operand' in each ? [each.operand] : [])),
  };
}

/** The same in the order in which they stand. */
export function readArguments(
  words: readonly Word[],
  habits: OptionHabits,
): readonly (OptionUse | { readonly operand: Word })[] {
  const all: (OptionUse | { readonly operand: Word })[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word === '--') return [...all, ...words.slice(index + 1).map((operand) => ({ operand }))];
    const read = isOption(sureText(word)) ? readOption(word, habits) : undefined;
    all.push(...(read?.flags ?? [{ operand: word }]));
    if (read?.last === undefined) continue;
    index += habits.pairs?.includes(read.last) ? 2 : 1;
    const value = words[index];
    all.push(value === undefined ? { name: read.last } : { name: read.last, value });
  }
  return all;
}

/** What stands behind the options of these names. */
export function valuesOf(options: readonly OptionUse[], names: readonly string[]): readonly Word[] {
  return options.flatMap(({ name, value }) => (names.includes(name) && value !== undefined ? [value] : []));
}

/** Whether one of these is there, be it cut short; what would mean several options is an error to any program. */
export function hasOption(options: readonly OptionUse[], names: readonly string[] = []): boolean {
  return options.some(({ name }) =>
    names.some((each) => each === name || (name.startsWith('--') && each.startsWith(name))),
  );
}
/** `last` is the option whose value is the next word. */
type OptionRead = { readonly flags: readonly OptionUse[]; readonly last?: string };

function readOption(word: Word, habits: OptionHabits): OptionRead {
  const text = sureText(word);
  if (habits.entire?.includes(text)) return { flags: [{ name: text }] };
  if (text.startsWith('--')) return readLong(word, text, habits);
  const flags: OptionUse[] = [];
  for (let at = 1; at < text.length; at += 1) {
    const name = `-${text[at] ?? ''}`;
    const hasRest = at + 1 < text.length || typeof word !== 'string';
    const isGlued = habits.glued?.includes(name) ?? false;
    if (isGlued || habits.takes.includes(name)) {
      if (hasRest) return { flags: [...flags, { name, value: wordFrom(word, at + 1) }] };
      return isGlued ? { flags: [...flags, { name }] } : { flags, last: name };
    }
    flags.push({ name });
  }
  return { flags };
}

function readLong(word: Word, text: string, { takes, flags = [] }: OptionHabits): OptionRead {
  const equals = text.indexOf('=');
  const given = equals < 0 ? text : text.slice(0, equals);
  const name = flags.includes(given) ? given : fullName(given, takes);
  if (equals >= 0) return { flags: [{ name, value: wordFrom(word, equals + 1) }] };
  return takes.includes(name) ? { flags: [], last: name } : { flags: [{ name }] };
}

/** Long names may be cut short as long as one option only is meant. */
function fullName(name: string, known: readonly string[]): string {
  if (known.includes(name)) return name;
  const meant = known.filter((each) => each.startsWith('--') && each.startsWith(name));
  return meant.length === 1 ? (meant[0] ?? name) : name;
}

/** The word without its first characters, all of which are known. */
export function wordFrom(word: Word, at: number): Word {
  if (isExact(word)) return word.slice(at);
  const rest = word.source.startsWith(word.begins) && at === word.begins.length ? word.source.slice(at) : '';
  return HOME_PATH.test(rest) ? rest : { ...word, begins: word.begins.slice(at) };
}

/** Some shells put the home for the tilde of `if=~/a`; what comes of it is known either way. */
const HOME_PATH = /^~\/[\w./@+,-]*$/;

/** Many words in few lines. */
export function listed(text: string): readonly string[] {
  return text.match(/\S+/g) ?? [];
}
