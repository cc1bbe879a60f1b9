/**
 * Reads a script: every command in it with its words, wherever it stands, and every file that a redirection opens.
 * What the reading may have missed is said in `unclear`; a script that is not understood is never taken for a harmless one.
 */
import { forEachChild, parse } from 'unbash';
import type { Command, CommandArgument, Redirect, Redirection, SyntaxNode } from 'unbash';

import { ARITHMETIC, blindSpot, foreignTo } from './blind-spots.js';
import { addNamesSetBy, noNames, placeWith, reachingPrograms, unclearBy } from './names.js';
import type { Names } from './names.js';
import { foldersAfter, isMove, pathsOf } from './place.js';
import type { Place } from './place.js';
import { readPlainScript } from './plain-script.js';
import { readArgument, readWord } from './read-word.js';
import { LONGEST_SCRIPT, UNREADABLE } from './readable.js';
import { isExact } from './reading.js';
import type { FileUse, Reading, Segment, Word } from './reading.js';

/** A command as it stands in a script. */
export type WrittenCommand = {
  readonly words: readonly Word[];
  readonly variables: readonly string[];
  /** Its name stands for a function of the script. */
  readonly shadowed?: true;
  /** The text it gets as input, when the script itself holds that. */
  readonly input?: string;
};

export type ReadCommand = (command: WrittenCommand, place: Place) => Segment;

export function readScript(script: string, place: Place, readCommand: ReadCommand): Reading {
  const plain = readPlainScript(script);
  if (plain) return readPlainCommands(plain, place, readCommand);
  const problem = problemWith(script);
  if (problem !== undefined) return notRead(problem);
  try {
    const read = readTree(script, place, readCommand);
    return place.dialect === 'zsh' ? { ...read, unclear: [...read.unclear, 'zsh may read it in its own way'] } : read;
  } catch {
    return notRead('the script is nested too deeply');
  }
}

export function notRead(why: string): Reading {
  return { segments: [], files: [], unclear: [why] };
}

function readPlainCommands(commands: readonly (readonly string[])[], start: Place, readCommand: ReadCommand): Reading {
  const names = noNames();
  for (const words of commands) addNamesSetBy(words, names);
  const variables = reachingPrograms(names);
  const segments: Segment[] = [];
  const place = placeWith(names, start);
  let { folders } = place;
  for (const words of commands) {
    const here = { ...place, folders };
    segments.push(readCommand({ words, variables }, here));
    folders = foldersAfter(words, here);
  }
  return { segments, files: [], unclear: unclearBy(names, place) };
}

/** Beyond these, reading takes longer than anybody waits for. */
const MOST_BRACKETS = 2_000;
const MOST_OPENINGS = 500;
const OPENING = /\$[([{]|[<>]\(|<<|`/g;

function problemWith(script: string): string | undefined {
  if (script.length > LONGEST_SCRIPT) return 'the script is too long to be read';
  if (UNREADABLE.test(script)) return 'the script holds control characters';
  const isBomb = countOf(/[[({]/g, script) > MOST_BRACKETS || countOf(OPENING, script) > MOST_OPENINGS;
  return isBomb ? 'the script is nested too deeply' : undefined;
}

function countOf(mark: RegExp, text: string): number {
  return text.match(mark)?.length ?? 0;
}

function readTree(text: string, start: Place, readCommand: ReadCommand): Reading {
  const script = parse(text);
  const segments: Segment[] = [];
  const files: FileUse[] = [];
  const { names, jumps, moves, arrays, functions } = factsOf(script, start);
  const variables = reachingPrograms(names);
  let place = placeWith(names, jumps && moves ? { ...start, folders: undefined } : start);
  const unclear = new Set(unclearBy(names, place));
  if (functions.size > 0 && start.goesOn) unclear.add('it leaves functions to other commands');

  function visit(node: SyntaxNode, outer: string): void {
    // What stands in backticks is counted on its own where something in it is escaped.
    const source = node.type === 'Script' ? (node.source ?? outer) : outer;
    const why = blindSpot(node, source) ?? foreignTo(place.dialect, node);
    if (why !== undefined) unclear.add(why);
    forEachChild(node, (child) => visit(child, source));
    if (node.type === 'Command') visitCommand(node);
    if (node.type === 'Redirect') files.push(...fileUse(node, place));
  }

  function visitCommand(command: Command): void {
    const words = wordsOf(command, place.home);
    if (arrays && command.args.some(isOpenDeclaration)) unclear.add(ARITHMETIC);
    if (words.length === 0) return;
    const own = prefixNames(command);
    const input = givenInput(command.redirects, place.home);
    const written: WrittenCommand = {
      words,
      variables: [...new Set([...variables, ...own])],
      ...(isExact(words[0]) && functions.has(words[0]) && { shadowed: true }),
      ...(input !== undefined && { input }),
    };
    segments.push(readCommand(written, place));
    if (!jumps) place = { ...place, folders: foldersAfter(words, place) };
  }

  visit(script, text);
  return { segments, files, unclear: [...unclear] };
}

function wordsOf({ name, args }: Command, home: string | undefined): readonly Word[] {
  return name === undefined ? [] : [readWord(name, home), ...args.map((argument) => readArgument(argument, home))];
}

function prefixNames({ prefix }: Command): readonly string[] {
  return prefix.flatMap((each) => (each.type === 'Assignment' ? [each.name] : []));
}

/** The value of an array, given as one word, is evaluated like the script itself. */
function isOpenDeclaration(argument: CommandArgument): boolean {
  return (
    argument.type === 'Assignment' && argument.value.type === 'Word' && !isExact(readWord(argument.value, undefined))
  );
}

/** What holds for a script as a whole, because it may come back to any place of it. */
type Facts = {
  readonly names: Names;
  /** Whether commands run in another order than they are written in. */
  readonly jumps: boolean;
  readonly moves: boolean;
  readonly arrays: boolean;
  readonly functions: ReadonlySet<string>;
};

/** They do, or what they run may. */
const MAKES_ARRAYS: ReadonlySet<Word | undefined> = new Set(['read', 'mapfile', 'readarray', 'eval', 'trap']);
const JUMPING: ReadonlySet<string> = new Set(['For', 'ArithmeticFor', 'While', 'Select', 'Function', 'Coproc']);

function factsOf(script: SyntaxNode, { dialect, goesOn = false }: Place): Facts {
  const names = noNames();
  const types = new Set<string>();
  const functions = new Set<string>();
  let moves = false;
  let arrays = goesOn;
  const visit = (node: SyntaxNode): void => {
    types.add(node.type);
    if (node.type === 'Function') functions.add(node.name.value);
    if (node.type === 'Command') {
      const words = wordsOf(node, undefined);
      moves ||= isMove(words);
      arrays ||= MAKES_ARRAYS.has(words[0]);
      addNamesSetBy(words, names);
      for (const name of prefixNames(node)) (words.length === 0 ? names.kept : names.passing).add(name);
    }
    arrays ||= node.type === 'Assignment' && (node.value.type === 'ArrayValue' || node.index !== undefined);
    for (const name of namesIn(node)) names.kept.add(name);
    forEachChild(node, visit);
  };
  visit(script);
  // What stands before a function is set in all of it, and in some shells what stands before a builtin stays.
  if (functions.size > 0 || dialect !== 'bash') for (const name of names.passing) names.exported.add(name);
  return { names, jumps: [...JUMPING].some((type) => types.has(type)), moves, arrays, functions };
}

function namesIn(node: SyntaxNode): readonly string[] {
  switch (node.type) {
    case 'For':
    case 'Select':
      return [node.name.value];
    case 'ParameterExpansion':
      return node.operation?.type === 'Default' && node.operation.operator.endsWith('=') ? [node.parameter] : [];
    case 'FileDescriptorVariable':
      return [node.name];
    case 'Coproc':
      return [node.name?.value ?? 'COPROC'];
    default:
      return [];
  }
}

/** A here-document or here-string without anything left open. */
function givenInput(redirects: readonly Redirection[], home: string | undefined): string | undefined {
  const given = redirects.filter(({ type }) => type !== 'Redirect');
  const last = given.at(-1);
  if (last === undefined || given.length > 1 || last.type === 'Redirect') return undefined;
  if (last.descriptor !== undefined) return undefined;
  if (last.type === 'HereString') {
    const word = last.target && readWord(last.target, home);
    return isExact(word) ? word : undefined;
  }
  const isLiteral = last.delimiter?.quoted === true || !/[$`\\]/.test(last.body.text);
  return isLiteral && last.operator === '<<' ? last.body.text : undefined;
}

const READING: ReadonlySet<string> = new Set(['<', '<&']);

function fileUse({ operator, target }: Redirect, place: Place): readonly FileUse[] {
  const word: Word = target ? readWord(target, place.home) : { source: '', begins: '', splits: true };
  // Another descriptor, or none.
  if (operator.endsWith('&') && isExact(word) && /^\d*-?$/.test(word)) return [];
  const access = READING.has(operator) ? 'read' : 'write';
  return [{ access, target: word, paths: pathsOf(word, place) }];
}
