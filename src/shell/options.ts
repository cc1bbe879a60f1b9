/** Finds where the options of a program end that takes a command. */
import { isExact, sureText } from './reading.js';
import type { Word } from './reading.js';
import type { Wrapper } from './wrappers.js';

export type Skipped = {
  /** The command behind the options; empty when there is none. */
  readonly command: readonly Word[];
  /** The options that were given, values apart: `-n`, `--chdir`. */
  readonly options: readonly string[];
  readonly values: ReadonlyMap<string, string>;
  /** Names of the variables that are set for the command. */
  readonly assigned: readonly string[];
};

type Found = {
  readonly options: readonly string[];
  readonly values: ReadonlyMap<string, string>;
  readonly next: number;
};

/** Undefined when the options cannot be told from the command. */
export function skipOptions(words: readonly Word[], wrapper: Wrapper): Skipped | undefined {
  const options: string[] = [];
  const values = new Map<string, string>();
  let at = 1;
  for (;;) {
    const word = words[at];
    if (word === '--') at += 1;
    if (word === undefined || word === '--' || (isExact(word) && !isOption(word))) break;
    const found = isExact(word) ? readOption(word, words[at + 1], at, wrapper) : undefined;
    if (found === undefined) return undefined;
    options.push(...found.options);
    for (const [option, value] of found.values) values.set(option, value);
    at = found.next;
  }
  return behindOptions(words, at, wrapper, { options, values });
}

function isOption(word: string): boolean {
  return word.startsWith('-');
}

function behindOptions(
  words: readonly Word[],
  from: number,
  { assigns = false, operands = 0 }: Wrapper,
  found: Pick<Skipped, 'options' | 'values'>,
): Skipped | undefined {
  const assigned = assigns ? assignmentsFrom(words, from) : [];
  if (assigned === undefined) return undefined;
  const at = from + assigned.length;
  const skipped = words.slice(at, at + operands);
  const [first] = words.slice(at + operands);
  if (!skipped.every((word) => isExact(word) || !word.splits) || mayVanish(first)) return undefined;
  return { ...found, assigned, command: words.slice(at + operands) };
}

/** Any name will do, `a-b=c` too. Undefined when one of them may be more than one word. */
function assignmentsFrom(words: readonly Word[], from: number): readonly string[] | undefined {
  const assigned: string[] = [];
  for (const word of words.slice(from)) {
    const [, name] = /^([^=]*)=/.exec(sureText(word)) ?? [];
    if (name === undefined) break;
    if (!isExact(word) && word.splits) return undefined;
    assigned.push(name);
  }
  return assigned;
}

/** A word that may be an option, an assignment or nothing at all. */
function mayVanish(word: Word | undefined): boolean {
  return word !== undefined && !isExact(word) && word.begins === '';
}

function readOption(word: string, following: Word | undefined, at: number, wrapper: Wrapper): Found | undefined {
  return word.startsWith('--') ? readLong(word, following, at, wrapper) : readCluster(word, following, at, wrapper);
}

function readLong(word: string, following: Word | undefined, at: number, wrapper: Wrapper): Found | undefined {
  const [, name = '', value] = /^--([^=]+)(?:=([^]*))?$/.exec(word) ?? [];
  const option = `--${name}`;
  if (wrapper.longFlags?.includes(name)) return { options: [option], values: new Map(), next: at + 1 };
  if (!wrapper.longValued?.includes(name)) return undefined;
  if (value !== undefined) return { options: [option], values: new Map([[option, value]]), next: at + 1 };
  return withNext(option, following, at);
}

function withNext(option: string, following: Word | undefined, at: number): Found | undefined {
  if (following === undefined || (!isExact(following) && following.splits)) return undefined;
  const values = isExact(following) ? new Map([[option, following]]) : new Map<string, string>();
  return { options: [option], values, next: at + 2 };
}

/** `-n5`, `-it`, and `-5` where a wrapper takes a number. */
function readCluster(word: string, following: Word | undefined, at: number, wrapper: Wrapper): Found | undefined {
  const options: string[] = [];
  if (/^-\d+$/.test(word) && wrapper.valued === 'n') return { options, values: new Map(), next: at + 1 };
  for (const [index, letter] of [...word].entries()) {
    if (index === 0) continue;
    const option = `-${letter}`;
    if (wrapper.valued?.includes(letter)) {
      const glued = word.slice(index + 1);
      const found = glued === '' ? withNext(option, following, at) : undefined;
      if (glued === '') return found && { ...found, options: [...options, option] };
      return { options: [...options, option], values: new Map([[option, glued]]), next: at + 1 };
    }
    if (!wrapper.flags?.includes(letter)) return undefined;
    options.push(option);
  }
  return options.length === 0 ? undefined : { options, values: new Map(), next: at + 1 };
}
