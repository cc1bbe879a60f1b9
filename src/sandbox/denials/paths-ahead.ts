/** The paths that stand before the words of an error, as shells and most of the programs written in C put them. */
import type { NamedPath } from './named-path.js';
import { quotedIn } from './quoted.js';
import type { Quoted } from './quoted.js';

/** `body` is the line up to the last thing that can be part of a name. */
export function pathsAhead(body: string): readonly NamedPath[] {
  const quoted = quotedIn(body);
  const last = quoted.at(-1);
  if (!last || !PHRASE.test(body.slice(last.to))) return pathsInSegments(body);
  // "Cannot create symlink to 'x'": the link, named further ahead, is what was to be made.
  if (body.slice(0, last.from).endsWith('link to ')) return pathsInSegments(body.slice(0, last.from));
  return pathsInMarks(body, quoted.at(-2), last);
}

/** A few words that hold no name. */
const PHRASE = /^\)?;?[\p{L}' ]{0,60}$/u;

/** `cannot move 'a' to 'b'` changes both; `hard link 'b' => 'a'` only the first. */
function pathsInMarks(body: string, previous: Quoted | undefined, last: Quoted): readonly NamedPath[] {
  const pair = previous && /^ (?:to|->|=>) $/.test(body.slice(previous.to, last.from)) ? [previous, last] : [last];
  const verb = body.slice(0, pair[0]?.from).slice(-LONGEST_VERB);
  const changed = /\blink $/.test(verb) ? pair.slice(0, 1) : pair;
  return changed.map(({ text }) => ({ path: text, removed: REMOVES.test(verb), bare: false }));
}

const LONGEST_VERB = 60;
/** Who locks a file makes another one beside it. */
const REMOVES = /\b(?:remov|unlink|delet|renam|mov[ei]|lock config file)/i;

/** `program: name`, `program: cannot do this to name`, `program: name: cannot do this`. */
function pathsInSegments(body: string): readonly NamedPath[] {
  const segments = body.split(/:\s/).map((segment) => segment.trim());
  const last = segments.at(-1) ?? '';
  const path = pathIn(last) ?? (segments.length > 1 ? wordIn(last) : undefined);
  if (path) return [path];
  const earlier = segments.at(-2) ?? '';
  // What stands first and alone is the program.
  const isNamed = PHRASE.test(last) && (segments.length > 2 || earlier.includes(' '));
  const found = isNamed ? (pathIn(earlier) ?? wordIn(earlier)) : undefined;
  return found ? [found] : [];
}

/** Everything from a slash on, blanks too; or else a last word that can only be a file's. */
function pathIn(segment: string): NamedPath | undefined {
  const start = segment.search(/(?:^|[\s(])\.{0,2}\//);
  const from = start < 0 ? segment.lastIndexOf(' ') + 1 : start;
  const text = segment.slice(from).replace(/^[\s(]/, '');
  if (start < 0 && !isFileName(text)) return undefined;
  const name = segment[from] === '(' && text.endsWith(')') ? text.slice(0, -1) : text;
  const path = name.split(/ (?:to|->|=>) (?=\/)/).at(-1) ?? name;
  return { path, removed: REMOVES.test(segment.slice(0, from)), bare: false };
}

/** It has a slash or a dot, and is no number and nobody's address. */
function isFileName(word: string): boolean {
  if (!/^[^\s"'`(){}<>]+$/.test(word) || word.endsWith('.')) return false;
  return word.includes('/') || (word.includes('.') && !word.includes('@') && !/^[\d.]+$/.test(word));
}

/** A word of its own, or one that follows what was to be done to it. */
function wordIn(segment: string): NamedPath | undefined {
  const [word = '', verb] = segment.slice(-LONGEST_VERB).split(' ').toReversed();
  if (!/^[\w%+=~-]+$/.test(word) || NOUN.test(word)) return undefined;
  if (verb !== undefined && !VERB.test(verb)) return undefined;
  return { path: word, removed: REMOVES.test(verb ?? ''), bare: true };
}

const VERB = /^(?:create|open|mkdir|make|write|touch|remove|unlink|file|directory)$/i;
const NOUN = /^(?:\d+|file|directory|folder|device|socket|pipe|stream|output|input|database|lock|it|errors?)$/i;
