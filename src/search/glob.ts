/**
 * Globs as ripgrep and ignore files write them. Matching never goes back further than to the last star, so the work is at
 * most the length of the pattern times that of the path, whatever somebody wrote into an ignore file. It is counted all the
 * same: an ignore file may have many of them.
 *
 *   `*` any run within a name   `?` one character   `[abc]` `[a-z]` `[!a]` one of a set, or none of it
 *   `**` any number of folders  `\` takes the meaning from what follows
 */
import type { Effort } from './effort.js';

/** Whether a path, given as its names, is meant. When the effort is spent meanwhile, the answer means nothing. */
export type Glob = (names: readonly string[], effort: Effort) => boolean;
export type NameGlob = (name: string, effort: Effort) => boolean;

/** `texts` are what the braces of a glob stand for. Undefined when one is no glob: a set that does not end. */
export function compileGlob(texts: readonly string[]): Glob | undefined {
  const patterns = texts.map(compilePath);
  if (!patterns.every((each) => each !== undefined)) return undefined;
  return (names, effort) => patterns.some((pattern) => matches(pattern, names, isNamed, effort));
}

/** For single names. */
export function compileNameGlob(texts: readonly string[]): NameGlob | undefined {
  const patterns = texts.map(compileName);
  if (!patterns.every((each) => each !== undefined)) return undefined;
  const [only, ...others] = patterns;
  if (only === undefined || others.length === 0) return only;
  return (name, effort) => {
    effort.left -= patterns.length;
    return patterns.some((pattern) => pattern(name, effort));
  };
}

/** Where a pattern has this, any number of items may stand, also none. */
const ANY_RUN = Symbol('any run');

type Pattern<Part> = readonly (Part | typeof ANY_RUN)[];
type CharacterTest = (character: string, effort: Effort) => boolean;

function compilePath(text: string): Pattern<NameGlob> | undefined {
  const segments = splitPath(text);
  const parts: (NameGlob | typeof ANY_RUN)[] = [];
  for (const [index, segment] of segments.entries()) {
    if (segment === '**') {
      if (parts.at(-1) !== ANY_RUN) parts.push(ANY_RUN);
      // What ends so means what is in the folder, not the folder itself.
      if (index === segments.length - 1) parts.push(() => true);
      continue;
    }
    const test = compileName(segment);
    if (test === undefined) return undefined;
    parts.push(test);
  }
  return parts;
}

/** A slash in a set, or one whose meaning was taken, separates as well: no name has one. */
function splitPath(text: string): readonly string[] {
  return text.split('/').filter((segment, index) => segment !== '' || index === 0);
}

function compileName(text: string): NameGlob | undefined {
  const pattern = readName(text);
  if (pattern === undefined) return undefined;
  if (pattern.every((part) => typeof part === 'string')) {
    const literal = pattern.join('');
    return (name) => name === literal;
  }
  const [first, ...rest] = pattern;
  if (first === ANY_RUN && rest.every((part) => typeof part === 'string')) {
    const ending = rest.join('');
    return (name) => name.endsWith(ending);
  }
  return (name, effort) => matches(pattern, charactersOf(name, effort), isCharacter, effort);
}

function isNamed(part: NameGlob, name: string, effort: Effort): boolean {
  return part(name, effort);
}

function isCharacter(part: string | CharacterTest, character: string, effort: Effort): boolean {
  return typeof part === 'string' ? part === character : part(character, effort);
}

/** Half a character is never one of its own. */
function charactersOf(text: string, effort: Effort): ArrayLike<string> {
  if (!/[\ud800-\udfff]/.test(text)) return text;
  effort.left -= text.length;
  return Array.from(text);
}

/** What beginning takes, compared with one step. */
const STEPS_TO_BEGIN = 10;

/** The earliest place for what stands between two runs is as good as any later one: only the last run is ever made longer. */
function matches<Part, Item>(
  pattern: Pattern<Part>,
  items: ArrayLike<Item>,
  one: (part: Part, item: Item, effort: Effort) => boolean,
  effort: Effort,
): boolean {
  effort.left -= STEPS_TO_BEGIN;
  let at = 0;
  let run = -1;
  let runEnd = 0;
  for (let index = 0; index < items.length;) {
    effort.left -= 1;
    if (effort.left < 0) return false;
    const part = pattern[at];
    if (part === ANY_RUN) {
      run = at;
      runEnd = index;
      at += 1;
    } else if (part !== undefined && one(part, items[index] as Item, effort)) {
      at += 1;
      index += 1;
    } else if (run !== -1) {
      at = run + 1;
      runEnd += 1;
      index = runEnd;
    } else {
      return false;
    }
  }
  while (pattern[at] === ANY_RUN) at += 1;
  return at === pattern.length;
}

function readName(text: string): Pattern<string | CharacterTest> | undefined {
  const characters = Array.from(text);
  const parts: (string | CharacterTest | typeof ANY_RUN)[] = [];
  for (let index = 0; index < characters.length; index += 1) {
    const character = characters[index] as string;
    if (character === '*') {
      if (parts.at(-1) !== ANY_RUN) parts.push(ANY_RUN);
    } else if (character === '?') {
      parts.push(() => true);
    } else if (character === '\\') {
      index += 1;
      const literal = characters[index];
      if (literal === undefined) return undefined;
      parts.push(literal);
    } else if (character === '[') {
      const set = readSet(characters, index + 1);
      if (set === undefined) return undefined;
      parts.push(set.test);
      index = set.end;
    } else {
      parts.push(character);
    }
  }
  return parts;
}

/** `from` is behind the bracket that opens the set, `end` at the one that closes it. */
function readSet(
  characters: readonly string[],
  from: number,
): { readonly test: CharacterTest; readonly end: number } | undefined {
  const negated = characters[from] === '!' || characters[from] === '^';
  const start = negated ? from + 1 : from;
  // A bracket that comes first is one of the set.
  const end = characters.indexOf(']', start + 1);
  if (end === -1) return undefined;
  const ranges = readRanges(characters.slice(start, end));
  if (ranges === undefined) return undefined;
  const test: CharacterTest = (character, effort) => {
    effort.left -= ranges.length;
    const code = codeOf(character);
    return ranges.some(([low, high]) => code >= low && code <= high) !== negated;
  };
  return { test, end };
}

function readRanges(members: readonly string[]): readonly (readonly [number, number])[] | undefined {
  const ranges: (readonly [number, number])[] = [];
  for (let index = 0; index < members.length; index += 1) {
    const low = codeOf(members[index]);
    const isRange = members[index + 1] === '-' && index + 2 < members.length;
    const high = isRange ? codeOf(members[index + 2]) : low;
    if (high < low) return undefined;
    ranges.push([low, high]);
    if (isRange) index += 2;
  }
  return ranges;
}

function codeOf(character = ''): number {
  return character.codePointAt(0) ?? -1;
}
