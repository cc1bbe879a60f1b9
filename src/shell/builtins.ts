/** What a shell's own commands do to the shell: the variables they set, and the words they evaluate once more. */
import { ARITHMETIC } from './blind-spots.js';
import { isExact, sureText } from './reading.js';
import type { Word } from './reading.js';

const DECLARING: ReadonlySet<string> = new Set(['declare', 'typeset', 'local', 'export', 'readonly']);
const SETTING: ReadonlySet<string> = new Set(['read', 'mapfile', 'readarray', 'unset', 'getopts', 'wait']);

export type NamesSet = { readonly names: readonly string[]; readonly exported: boolean };

/** Names of the variables that a command sets for those that follow it. */
export function namesSetBy(words: readonly Word[]): NamesSet {
  const [name, ...args] = withoutPrefix(words);
  if (!isExact(name)) return { names: [], exported: false };
  const sets = DECLARING.has(name) || SETTING.has(name) || (name === 'printf' && sureText(args[0]).startsWith('-v'));
  const names = args.flatMap((word) => /^(?:-v)?([A-Za-z_]\w*)(?:$|\+?=)/.exec(sureText(word))?.[1] ?? []);
  return {
    names: sets ? names : [],
    exported: name === 'export' || args.some((word) => /^-\w*x/.test(sureText(word))),
  };
}

/** `builtin export`, `command -p export`. */
function withoutPrefix(words: readonly Word[]): readonly Word[] {
  const [name, ...rest] = words;
  if (name !== 'builtin' && name !== 'command') return words;
  const at = rest.findIndex((word) => word !== '--' && word !== '-p');
  return at === -1 ? [] : withoutPrefix(rest.slice(at));
}

/** Why a builtin may do more than it says with the words it is given. */
export function blindBuiltin([name, ...args]: readonly Word[]): string | undefined {
  if (!isExact(name)) return undefined;
  if (RENAMING.has(name) || (name === 'hash' && !args.every((word) => /^[^-]|^-r$/.test(sureText(word))))) {
    return 'it changes what the names of commands stand for';
  }
  if (name === 'set' || name === 'shopt')
    return (name === 'set' ? isPlainSet : isPlainShopt)(args) ? undefined : SETTINGS;
  return evaluates(name, args) ? ARITHMETIC : undefined;
}

const RENAMING: ReadonlySet<string> = new Set(['alias', 'enable', 'bind', 'complete', 'compgen', 'fc']);
const SETTINGS = 'it changes how the shell reads what follows';

function evaluates(name: string, args: readonly Word[]): boolean {
  if (name === 'let') return true;
  if (name === '[' || name === 'test') return args.some((word, index) => testsVariable(word, args[index + 1]));
  if (name === 'printf') return printsIntoVariable(args);
  if (DECLARING.has(name)) return !args.every(isPlainDeclaration);
  if (name === 'mapfile' || name === 'readarray') return !args.every((word) => isPlainName(word) || word === '-t');
  return SETTING.has(name) && args.some((word) => mayHoldIndex(word));
}

/** `-v` looks up an element, and calculates its index. */
function testsVariable(word: Word, next: Word | undefined): boolean {
  if (isNumber(word)) return false;
  if (!isExact(word) && word.splits) return true;
  const mayBeOption = isExact(word) ? word === '-v' || word === '-R' : '-v'.startsWith(word.begins);
  return mayBeOption && next !== undefined && mayHoldIndex(next);
}

function mayHoldIndex(word: Word): boolean {
  return isExact(word) ? word.includes('[') : !isNumber(word);
}

/** `$?`, `$#`, `$!` and `$$` are numbers, whatever is split. */
function isNumber(word: Word): boolean {
  return !isExact(word) && /^"?\$[?#!$]"?$/.test(word.source);
}

function printsIntoVariable([first, second]: readonly Word[]): boolean {
  if (first === undefined) return false;
  if (!isExact(first)) return /^(?:$|-)/.test(first.begins) && (first.splits || second !== undefined);
  if (!first.startsWith('-v')) return false;
  return !isPlainName(first === '-v' ? second : first.slice(2));
}

function isPlainName(word: Word | undefined): boolean {
  return isExact(word) && /^[A-Za-z_]\w*$/.test(word);
}

/** Arrays of the shell itself, whose elements are calculated when they are set as a whole. */
const OWN_ARRAY = /^(?:BASH_\w+|COMP\w+|COPROC|DIRSTACK|FUNCNAME|GROUPS|MAPFILE|PIPESTATUS)\+?=/;

/** Neither an array nor a number, whose values are evaluated. */
function isPlainDeclaration(word: Word): boolean {
  const text = sureText(word);
  if (isExact(word) && /^[-+][xrgluFpt]*$/.test(word)) return true;
  if (OWN_ARRAY.test(text) || /=\(/.test(text)) return false;
  if (isExact(word)) return /^[A-Za-z_]\w*(?:$|\+?=)/.test(word);
  return !word.splits && /^[A-Za-z_]\w*\+?=/.test(text);
}

const PLAIN_SETTING = new Set<Word | undefined>([
  undefined,
  ...'errexit nounset pipefail xtrace verbose noglob noclobber errtrace functrace monitor'.split(' '),
]);

function isPlainSet(args: readonly Word[]): boolean {
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (!/^[-+]/.test(sureText(word))) return isExact(word) || word.begins !== '';
    if (word === '--' || word === '-') return true;
    if (!isExact(word) || !/^[-+][bCefmnuvxET]*o?$/.test(word)) return false;
    if (!word.endsWith('o')) continue;
    at += 1;
    if (!PLAIN_SETTING.has(args[at])) return false;
  }
  return true;
}

const PLAIN_OPTION = new Set<Word>(
  '-s -u -q -p nullglob dotglob globstar failglob nocaseglob nocasematch inherit_errexit globskipdots'.split(' '),
);

function isPlainShopt(args: readonly Word[]): boolean {
  return args.every((word) => PLAIN_OPTION.has(word));
}
