/**
 * Globs as ripgrep and ignore files write them. Matching never goes back further than to the last star, so the work is at
 * most the length of the pattern times that of the path, whatever somebody wrote into an ignore file.
 *
 *   `*` any run within a name   `?` one character   `[abc]` `[a-z]` `[!a]` one of a set, or none of it
 *   `**` any number of folders  `{a,b}` one of several   `\` takes the meaning from what follows
 */
import { expandBraces } from './expand-braces.js';

/** Whether a path, given as its names, is meant. */
export type Glob = (names: readonly string[]) => boolean;

/** Undefined when the text is no glob: a set or a brace that does not end. */
export function compileGlob(text: string): Glob | undefined {
  const patterns = expandBraces(text)?.map(compilePath);
  if (!patterns?.every((each) => each !== undefined)) return undefined;
  return (names) => patterns.some((pattern) => matches(pattern, names, (segment, name) => segment(name)));
}

/** For single names. */
export function compileNameGlob(text: string): ((name: string) => boolean) | undefined {
  const patterns = expandBraces(text)?.map(compileName);
  if (!patterns?.every((each) => each !== undefined)) return undefined;
  const [only, ...others] = patterns;
  if (only === undefined || others.length === 0) return only;
  return (name) => patterns.some((pattern) => pattern(name));
}

/** Where a pattern has this, any number of items may stand, also none. */
const ANY_RUN = Symbol('any run');

type Pattern<Part> = readonly (Part | typeof ANY_RUN)[];
type NameTest = (name: string) => boolean;
type CharacterTest = (character: string) => boolean;

function compilePath(text: string): Pattern<NameTest> | undefined {
  const segments = splitPath(text);
  const parts: (NameTest | typeof ANY_RUN)[] = [];
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

function compileName(text: string): NameTest | undefined {
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
  return (name) => matches(pattern, charactersOf(name), isCharacter);
}

function isCharacter(part: string | CharacterTest, character: string): boolean {
  return typeof part === 'string' ? part === character : part(character);
}

/** Half a character is never one of its own. */
function charactersOf(text: string): ArrayLike<string> {
  return /[\ud800-\udfff]/.test(text) ? Array.from(text) : text;
}

/** The earliest place for what stands between two runs is as good as any later one: only the last run is ever made longer. */
function matches<Part, Item>(
  pattern: Pattern<Part>,
  items: ArrayLike<Item>,
  one: (part: Part, item: Item) => boolean,
): boolean {
  let at = 0;
  let run = -1;
  let runEnd = 0;
  for (let index = 0; index < items.length;) {
    const part = pattern[at];
    if (part === ANY_RUN) {
      run = at;
      runEnd = index;
      at += 1;
    } else if (part !== undefined && one(part, items[index] as Item)) {
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
  const test = (character: string): boolean =>
    ranges.some(([low, high]) => codeOf(character) >= low && codeOf(character) <= high) !== negated;
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
