/** A word of a script as its program will get it, or what can be said of it before the script runs. */
import type { CommandArgument, DoubleQuotedChild, Word as ScriptWord, WordPart } from 'unbash';

import { isExact } from './reading.js';
import type { Word } from './reading.js';

/** A stretch of a word: its text, or no more than how that begins. */
type Piece = { readonly text: string } | { readonly begins: string; readonly splits: boolean };

/** `home` is what `~` and `$HOME` stand for; undefined when the script may change that. */
export function readWord(word: ScriptWord, home: string | undefined): Word {
  const isWhole = word.parts === undefined || word.parts.map(({ text }) => text).join('') === word.text;
  if (!isWhole) return { source: word.text, begins: '', splits: true };
  const pieces = word.parts?.map((part) => readPart(part, home)) ?? [bareText(word.text)];
  return join(word.text, withTilde(pieces, word, home));
}

/** An argument of `export` and its like may be an assignment. */
export function readArgument(argument: CommandArgument, home: string | undefined): Word {
  if (argument.type === 'Word') return readWord(argument, home);
  const { text, name, value, append, index } = argument;
  const begins = `${name}${append ? '+' : ''}=`;
  const read = value.type === 'Word' && index === undefined ? readWord(value, home) : undefined;
  if (isExact(read)) return `${begins}${read}`;
  return { source: text, begins: index === undefined ? begins : name, splits: false };
}

function join(source: string, pieces: readonly Piece[]): Word {
  let text = '';
  for (const piece of pieces) {
    if (!('text' in piece)) {
      const splits = pieces.some((each) => 'splits' in each && each.splits);
      return { source, begins: text + piece.begins, splits };
    }
    text += piece.text;
  }
  return text;
}

/** A tilde stands for a folder only at the very beginning, unquoted, and before a slash or the end. */
function withTilde(pieces: readonly Piece[], word: ScriptWord, home: string | undefined): readonly Piece[] {
  if (home === undefined || !/^~(?:$|\/)/.test(word.text)) return pieces;
  const first = word.parts?.[0];
  const end = first === undefined ? word.text.length : first.text.length;
  return [{ text: home }, bareText(word.text.slice(1, end)), ...pieces.slice(1)];
}

function readPart(part: WordPart, home: string | undefined): Piece {
  switch (part.type) {
    case 'Literal':
      return bareText(part.text);
    case 'SingleQuoted':
      return { text: part.value };
    case 'DoubleQuoted':
      return quotedText(part.parts, home);
    case 'AnsiCQuoted':
      return ansiText(part.text, part.value);
    case 'SimpleExpansion':
    case 'ParameterExpansion':
      return expansion(part, home, false);
    case 'LocaleString':
      return { begins: '', splits: false };
    default:
      return { begins: '', splits: true };
  }
}

function quotedText(parts: readonly DoubleQuotedChild[], home: string | undefined): Piece {
  const pieces = parts.map((part): Piece => {
    if (part.type === 'Literal') return { text: part.value };
    if (part.type === 'SimpleExpansion' || part.type === 'ParameterExpansion') return expansion(part, home, true);
    return { begins: '', splits: false };
  });
  const word = join('', pieces);
  return isExact(word) ? { text: word } : word;
}

/**
 * Characters that a shell may do something with where they stand unquoted. Braces around plain letters are nothing but
 * themselves, and so is a tilde within a word, as in `HEAD~1`, unless it stands where a path could begin.
 */
const BARE = /^(?:\\[^]|\{\w*\}|(?<=[\w^}])~(?![\w/])|(?<=[\w^}])~(?=\d)|[!-~ ](?<![<>()|&;*?[\]{}~$`'"\\ ]))*/;
/** Whole words that look as if they were syntax. */
const ALONE = /^(?:\[\[?|\]\]?|[{}])$/;

function bareText(text: string): Piece {
  if (ALONE.test(text)) return { text };
  const [known = ''] = BARE.exec(text) ?? [];
  const begins = known.replace(/\\([^])/g, (_, escaped: string) => (escaped === '\n' ? '' : escaped));
  if (/[^ -~\n]/.test(begins)) return { begins: '', splits: true };
  return known.length === text.length ? { text: begins } : { begins, splits: true };
}

/** Only escapes that mean the same everywhere; a newline in the source is read in two ways. */
function ansiText(source: string, value: string): Piece {
  const plain = /^\$'(?:[^\\'\n]|\\[nt\\'"]|\\x[2-7][\dA-Fa-f]|\\(?:0?[4-7]\d|1[0-7]\d)(?!\d))*'$/.test(source);
  return plain ? { text: value } : { begins: '', splits: false };
}

type Expansion = Extract<WordPart, { type: 'SimpleExpansion' | 'ParameterExpansion' }>;

function expansion(part: Expansion, home: string | undefined, quoted: boolean): Piece {
  const isHome = part.text === '$HOME' || part.text === '${HOME}';
  if (isHome && home !== undefined && (quoted || /^[\w./-]+$/.test(home))) return { text: home };
  return { begins: '', splits: !quoted || mayBeSeveral(part) };
}

/** Even in double quotes, the list of all arguments or of all elements becomes as many words. */
function mayBeSeveral(part: Expansion): boolean {
  return part.text.includes('@');
}
