/**
 * Reads a script where it can be read in one way only, and refuses the rest. What may stand in it is spelled out here:
 *
 *   script := comment? (gap | piece)*
 *   gap    := (blank | newline | ";" | "|" | "||" | "&&") (backslash newline)* comment?
 *   piece  := plain character | backslash character | 'text' | "text without expansion"
 *
 * The parser is lenient, so it is shown nothing else: its part is to find the commands and the errors of grammar.
 */
import { parse } from 'unbash';
import type { Command, CommandNode, ParsedScript, Statement } from 'unbash';

/** The plain commands a script consists of, each as its exact words, in order; undefined when that cannot be told for sure. */
export function parseScript(script: string): readonly (readonly string[])[] | undefined {
  if (!isSpelledOut(script)) return undefined;
  const argvs = plainCommands(script)?.map((command) => readArgv(command, script));
  return argvs?.every((argv) => argv !== undefined) ? argvs : undefined;
}

function isSpelledOut(script: string): boolean {
  return script.length <= LONGEST_SCRIPT && !UNREADABLE.test(script) && SCRIPT.test(script);
}

const LONGEST_SCRIPT = 32 * 1024;

/** Control characters, which shells treat in their own ways, and halves of characters, which do not reach them. */
const UNREADABLE = /(?![\t\n])\p{Cc}|\p{Cs}/u;

/** Plain letters are ASCII, as some systems take a byte of another letter for a blank. `$'…'` is not known to every sh. */
const PIECE = /[\w!#%+,./:=@^-]|\\[ -~]|'[^']*'|"(?:[^"$\\`]|\\[^]|\$(?=[")|]))*"/;
const COMMENT = /#[^\n]*(?![^\n])/;
/** What follows is no word that begins with `=`: zsh puts the path of a program there. */
const GAP = new RegExp(`(?:[ \\t\\n;|]|&&)(?:\\\\\\n)*(?:${COMMENT.source}|(?!#|=\\S))`);
const SCRIPT = new RegExp(`^(?:${COMMENT.source})?(?:${GAP.source}|${PIECE.source})*$`);
const WORD = new RegExp(`^(?:${PIECE.source})+$`);
const PIECES = new RegExp(PIECE, 'g');

type ScriptNode = Statement | Statement['command'] | CommandNode;
type PlainCommand = Command & { readonly name: NonNullable<Command['name']> };

function plainCommands(script: string): readonly PlainCommand[] | undefined {
  const tree = parseTree(script);
  if (tree === undefined || (tree.errors ?? []).length > 0) return undefined;
  const nodes = tree.commands.flatMap(commandNodes);
  return nodes.every(isPlain) ? nodes : undefined;
}

/** A thousand words that nest exhaust the parser's stack. */
function parseTree(script: string): ParsedScript | undefined {
  try {
    return parse(script);
  } catch {
    return undefined;
  }
}

/** The commands in a list of pipelines, and as it is whatever is not one. */
function commandNodes(node: ScriptNode): readonly ScriptNode[] {
  if (node.type === 'Statement' && !node.background) return commandNodes(node.command);
  if (node.type === 'AndOr') return node.commands.flatMap(commandNodes);
  if (node.type === 'Pipeline' && node.prefixes.length === 0) return node.commands.flatMap(commandNodes);
  return [node];
}

function isPlain(node: ScriptNode): node is PlainCommand {
  return node.type === 'Command' && node.name !== undefined && node.prefix.length === 0 && node.redirects.length === 0;
}

const RESERVED_WORDS: ReadonlySet<string> = new Set(
  '! case coproc do done elif else esac fi for function if in select then time until while'.split(' '),
);
/** A command that begins with `%` brings a job back, quoted or not. */
const JOB_OR_ASSIGNMENT = /[%=]/;

function readArgv({ name, args }: PlainCommand, script: string): readonly string[] | undefined {
  if (RESERVED_WORDS.has(name.text) || JOB_OR_ASSIGNMENT.test(name.text)) return undefined;
  const words = [name, ...args].map(({ pos, end }) => readWord(script.slice(pos, end)));
  return words.every((word) => word !== undefined) ? words : undefined;
}

/** Read from the script itself: what the parser makes of a word need not be what a shell makes of it. */
function readWord(text: string): string | undefined {
  return WORD.test(text) ? text.replace(PIECES, readPiece) : undefined;
}

function readPiece(piece: string): string {
  if (piece.startsWith("'")) return piece.slice(1, -1);
  if (piece.startsWith('"')) return piece.slice(1, -1).replace(/\\([$`"\\])|\\\n/g, '$1');
  return piece.startsWith('\\') ? piece.slice(1) : piece;
}
