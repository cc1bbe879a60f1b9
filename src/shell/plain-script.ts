/**
 * Reads a script where it can be read in one way only, and refuses the rest. What may stand in it is spelled out here:
 *
 *   script  := (list (";" | newline))* list?
 *   list    := command (("&&" | "||" | "|") newline* command)*
 *   command := word+
 *   word    := (plain character | backslash character | 'text' | "text without expansion")+
 *
 * Words are set apart by blanks; a backslash at the end of a line and a comment may stand between them.
 */

import { LONGEST_SCRIPT, UNREADABLE } from './readable.js';

/** The plain commands a script consists of, each as its exact words, in order; undefined when that cannot be told for sure. */
export function readPlainScript(script: string): readonly (readonly string[])[] | undefined {
  if (!isSpelledOut(script)) return undefined;
  const commands = splitCommands(tokensOf(script));
  return commands?.every(isPlainCommand) ? commands.map((words) => words.map(readWord)) : undefined;
}

function isSpelledOut(script: string): boolean {
  return script.length <= LONGEST_SCRIPT && !UNREADABLE.test(script) && SCRIPT.test(script);
}

/** Plain letters are ASCII, as some systems take a byte of another letter for a blank. `$'…'` is not known to every sh. */
const PIECE = /[\w!#%+,./:=@^-]|\\[ -~]|'[^']*'|"(?:[^"$\\`]|\\[^]|\$(?=[")|]))*"/;
/** A comment, or a word: one must not begin with `=` either, because zsh puts the path of a program there. */
const WORD_OR_COMMENT = /#[^\n]*(?![^\n])|(?!#|=\S)/;
const GAP = new RegExp(`(?:[ \\t\\n;|]|&&)(?:\\\\\\n)*(?:${WORD_OR_COMMENT.source})`);
const SCRIPT = new RegExp(`^(?:${WORD_OR_COMMENT.source})(?:${GAP.source}|${PIECE.source})*$`);

const TOKENS = new RegExp(`#[^\\n]*|\\\\\\n|[\\n;]|&&|\\|\\|?|(?:${PIECE.source})+`, 'g');
const BETWEEN_WORDS = /^(?:#|\\\n)/;

function tokensOf(script: string): readonly string[] {
  return (script.match(TOKENS) ?? []).filter((token) => !BETWEEN_WORDS.test(token));
}

const JOINTS: ReadonlySet<string> = new Set(['&&', '||', '|']);
const OPERATORS: ReadonlySet<string> = new Set([...JOINTS, ';', '\n']);

function splitCommands(tokens: readonly string[]): readonly (readonly string[])[] | undefined {
  const commands: string[][] = [];
  let words: string[] = [];
  /** Behind an operator that needs a command to follow. */
  let joined = false;
  for (const token of tokens) {
    if (!OPERATORS.has(token)) {
      words.push(token);
      joined = false;
      continue;
    }
    if (words.length > 0) commands.push(words);
    else if (token !== '\n') return undefined;
    words = [];
    joined = JOINTS.has(token) || (joined && token === '\n');
  }
  if (words.length > 0) commands.push(words);
  return joined ? undefined : commands;
}

const RESERVED_WORDS: ReadonlySet<string> = new Set(
  '! case coproc do done elif else esac fi for function if in select then time until while'.split(' '),
);
/** A command that begins with `%` brings a job back, quoted or not. */
const JOB_OR_ASSIGNMENT = /[%=]/;

function isPlainCommand([name = '']: readonly string[]): boolean {
  return !RESERVED_WORDS.has(name) && !JOB_OR_ASSIGNMENT.test(name);
}

const PIECES = new RegExp(PIECE, 'g');

function readWord(word: string): string {
  return word.replace(PIECES, readPiece);
}

function readPiece(piece: string): string {
  if (piece.startsWith("'")) return piece.slice(1, -1);
  if (piece.startsWith('"')) return piece.slice(1, -1).replace(/\\([$`"\\])|\\\n/g, '$1');
  return piece.startsWith('\\') ? piece.slice(1) : piece;
}
