/** The words of a command as people write them in rules. What could never hold, or would mean something else, is told. */
import { WRAPPERS } from '../shell/wrappers.js';
import type { Places } from './path-words.js';
import { writtenPath } from './path-words.js';
import { WrongRule } from './wrong-rule.js';

type Pattern = readonly (readonly string[])[];

/** Words that hold whatever follows them. Throws a `WrongRule`. */
export function writtenWords([names = [], ...others]: Pattern, places: Places): Pattern {
  for (const name of names) checkName(name);
  const holdsCode = names.every(takesCode);
  for (const word of [...names, ...others.flat()]) {
    if (word.includes('*') && !(holdsCode && /\s/.test(word))) throw new WrongRule(`${shown(word)} ${ASTERISK}`);
  }
  // The path of a program may well have blanks in it.
  for (const word of names.filter((name) => /^[^/]*\s/.test(name))) throw oneWord(word);
  for (const word of others.flat()) if (!holdsCode && /\s/.test(word)) throw oneWord(word);
  return [names.map((name) => (name.startsWith('~/') ? writtenPath(name, places) : name)), ...others];
}

/** Words of which none may follow. They are taken as they are: such rules are saved for what was really run. */
export function exactWords(pattern: Pattern): Pattern {
  if (pattern[0]?.includes('')) throw new WrongRule('the name of a program cannot be empty');
  return pattern;
}

const ASTERISK =
  'would hold for an asterisk alone: a pattern holds whatever follows it, so write only the whole words before it';

function checkName(name: string): void {
  if (name === '') throw new WrongRule('the name of a program cannot be empty');
  if (name !== name.trim()) {
    throw new WrongRule(`${shown(name)} has blanks around it; write ${shown(name.trim())}`);
  }
  if (/^[A-Za-z_]\w*\+?=/.test(name)) {
    throw new WrongRule(`${shown(name)} sets a variable, which is no word of a command; begin with the program`);
  }
  if (name.endsWith('/') || name === '~') {
    throw new WrongRule(`${shown(name)} is a folder; write a program, with its path or without`);
  }
}

const CODE = `
  bash sh zsh dash ksh ash fish csh tcsh busybox pwsh powershell cmd
  python node deno bun ruby perl php lua osascript awk gawk mawk sed jq psql mysql sqlite
  eval trap su doas ssh watch script parallel xargs flock
`;
/** Programs that are given code in one word. */
const TAKE_CODE: ReadonlySet<string> = new Set([...WRAPPERS.keys(), ...(CODE.match(/\S+/g) ?? [])]);

function takesCode(name: string): boolean {
  const program = name.slice(name.lastIndexOf('/') + 1);
  return TAKE_CODE.has(program) || TAKE_CODE.has(program.replace(/[\d.]+$/, ''));
}

function oneWord(word: string): WrongRule {
  const split = JSON.stringify(word.trim().split(/\s+/));
  return new WrongRule(`${shown(word)} is one word; write each on its own: ${split}`);
}

function shown(word: string): string {
  return `\`${word}\``;
}
