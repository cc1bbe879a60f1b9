/** Parts of a script that may run more than can be seen in them, and parts that only some shells know. */
import { forEachChild } from 'unbash';
import type { ArithmeticExpression, Command, ParsedScript, SyntaxNode, Word as ScriptWord } from 'unbash';

import type { Dialect } from './place.js';
import { CALLS_ITSELF } from './unclear.js';

/**
 * Why a part of a script may do more than its commands say; undefined for everything that is what it looks like.
 * `source` is the text that its positions count in.
 */
export function blindSpot(node: SyntaxNode, source: string): string | undefined {
  switch (node.type) {
    case 'Command':
      return isWhole(node, source) ? undefined : 'a part of it is not understood';
    case 'Script':
      return node.errors?.[0] && `it is no valid script: ${node.errors[0].message}`;
    case 'CommandExpansion':
      return node.script === undefined || !isPlainSubstitution(node.script) || node.text.startsWith('$((')
        ? SUBSTITUTION
        : undefined;
    case 'ProcessSubstitution':
      return node.script === undefined || !isPlainSubstitution(node.script) ? SUBSTITUTION : undefined;
    case 'Subshell':
      return beginsWithSubshell(node) ? 'it may be a calculation or a subshell in a subshell' : undefined;
    case 'Function':
      return calls(node.body, node.name.value) ? CALLS_ITSELF : undefined;
    case 'Coproc':
      return 'it runs a command aside';
    case 'ArithmeticExpansion':
    case 'ArithmeticCommand':
      return node.expression === undefined ? ARITHMETIC : undefined;
    case 'ArithmeticFor':
    case 'ArithmeticCommandExpansion':
      return ARITHMETIC;
    case 'ArithmeticWord':
      return isNumber(node) ? undefined : ARITHMETIC;
    case 'ParameterExpansion':
      return isPlainParameter(node) ? undefined : 'it expands a variable in a way that may run commands';
    case 'Assignment':
      return node.index === undefined || isIndex(node.index) ? undefined : ARITHMETIC;
    case 'ArrayValue':
      return node.elements.some(({ text }) => text.startsWith('[')) ? ARITHMETIC : undefined;
    case 'FileDescriptorVariable':
      return node.name.includes('[') ? ARITHMETIC : undefined;
    case 'TestUnary':
      return node.operator === '-v' || node.operator === '-R' ? ARITHMETIC : undefined;
    case 'TestBinary':
      return /^-(?:eq|ne|[lg][te])$/.test(node.operator) && !(isIndex(node.left) && isIndex(node.right))
        ? ARITHMETIC
        : undefined;
    case 'HereDoc':
      return node.delimiter === undefined || node.closing === undefined ? 'a here-document has no end' : undefined;
    case 'Redirect':
      if (node.target === undefined) return 'a redirection has no target';
      return node.operator.endsWith('&') && !isPlainDescriptor(node.target)
        ? 'a redirection is expanded once more'
        : undefined;
    default:
      return undefined;
  }
}

/** Nothing but blanks stands between the words of a command, and something does: what was passed over would show here. */
function isWhole({ prefix, name, suffix, end }: Command, source: string): boolean {
  const opensBehind = new RegExp(OPENING_BEHIND, 'y');
  opensBehind.lastIndex = end;
  if (opensBehind.test(source)) return false;
  const children = [...prefix, ...(name ? [name] : []), ...suffix];
  return children.every((child, index) => {
    const before = children[index - 1];
    if (before === undefined) return true;
    const gap = source.slice(before.end, child.pos);
    return /^(?:[ \t]|\\\n)*$/.test(gap) && (REDIRECTIONS.has(child.type) || /[ \t]/.test(gap));
  });
}

/** A parenthesis that no command can be followed by, and that the parser passes over. */
const OPENING_BEHIND = /(?:[ \t]|\\\n)*\(/;

const REDIRECTIONS: ReadonlySet<string> = new Set(['Redirect', 'HereDoc', 'HereString']);

const SUBSTITUTION = 'it holds a substitution that cannot be read';

/** Bash writes a substitution anew before it runs it, and forgets what parts the commands behind a here-document. */
function isPlainSubstitution(script: ParsedScript): boolean {
  const [first, ...more] = script.commands;
  if (first === undefined || (more.length === 0 && first.command.type === 'Command')) return true;
  return !holds(script, 'HereDoc');
}

function calls(node: SyntaxNode, name: string): boolean {
  let found = node.type === 'Command' && node.name?.value === name;
  forEachChild(node, (child) => {
    found ||= calls(child, name);
  });
  return found;
}

function holds(node: SyntaxNode, type: SyntaxNode['type']): boolean {
  let found = node.type === type;
  forEachChild(node, (child) => {
    found ||= holds(child, type);
  });
  return found;
}

type SubshellNode = Extract<SyntaxNode, { type: 'Subshell' }>;

/** `((`, which bash takes for a calculation first. */
function beginsWithSubshell({ pos, body }: SubshellNode): boolean {
  let node: SyntaxNode | undefined = body.commands[0]?.command;
  while (node?.type === 'AndOr' || node?.type === 'Pipeline') node = node.commands[0];
  if (node?.type === 'Redirected') node = node.command;
  return node?.type === 'Subshell' && node.pos === pos + 1;
}

/** The value of a variable is evaluated too, and it may hold a command. */
export const ARITHMETIC = 'it calculates with variables, whose values may run commands';

function isNumber({ value, parts }: Extract<ArithmeticExpression, { type: 'ArithmeticWord' }>): boolean {
  return parts === undefined && /^\d+$/.test(value);
}

/** Bash expands what stands behind `>&` twice, even in single quotes, and takes the dash of `>&-x` alone. */
function isPlainDescriptor({ text }: ScriptWord): boolean {
  return /^(?:-|[\w./,:@%+][\w./,:@%+-]*)$/.test(text);
}

function isIndex({ text }: ScriptWord): boolean {
  return /^(?: *-?\d+|[@*])$/.test(text);
}

type Parameter = Extract<SyntaxNode, { type: 'ParameterExpansion' }>;

function isPlainParameter({ prefix, index, operation }: Parameter): boolean {
  if (prefix === '!' || (index !== undefined && !isIndex(index))) return false;
  switch (operation?.type) {
    case undefined:
    case 'Default':
    case 'Remove':
    case 'Replace':
    case 'CaseModification':
      return true;
    case 'Slice':
      return isIndex(operation.offset) && (operation.length === undefined || isIndex(operation.length));
    default:
      return false;
  }
}

/** What bash reads in one way and other shells in another, or as commands. */
const BASH_ONLY: ReadonlySet<string> = new Set([
  'TestCommand',
  'ArithmeticCommand',
  'ArithmeticFor',
  'Select',
  'Coproc',
  'ProcessSubstitution',
  'AnsiCQuoted',
  'LocaleString',
  'ExtendedGlob',
  'HereString',
  'Time',
  'ArrayValue',
]);

export const FOREIGN = 'not every shell reads it the same way';

export function foreignTo(dialect: Dialect, node: SyntaxNode): string | undefined {
  return dialect === 'bash' || !isForeign(node) ? undefined : FOREIGN;
}

function isForeign(node: SyntaxNode): boolean {
  switch (node.type) {
    case 'Redirect':
      return node.operator.startsWith('&') || node.descriptor?.type === 'FileDescriptorVariable';
    case 'Pipeline':
      return node.operators.includes('|&');
    case 'Assignment':
      return node.append === true || node.index !== undefined;
    case 'ArithmeticExpansion':
      return node.text.startsWith('$[');
    case 'Function':
      // Written with the word `function`.
      return node.name.pos !== node.pos;
    default:
      return BASH_ONLY.has(node.type);
  }
}
