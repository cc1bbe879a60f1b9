/**
 * Path patterns as a machine of states. All ways through a pattern are walked at once, one character after another, so
 * the work is the length of the pattern times that of the path, whatever the pattern is.
 *
 *   `*` any run within a folder's name    `?` one character of it    `[abc]` `[a-z]` `[!a]` one of a set, or none of it
 *   `**` any run, folders too             `**` + `/` no folder, or any number of them
 *   `{a,b}` one of several                everything else stands for itself
 */
import { foldCase } from './fold-case.js';

export type Automaton = { readonly states: readonly State[]; readonly end: number };

/** `free` are states that are reached without a character. */
type State = { readonly free: number[]; step?: { readonly test: Test; readonly to: number } };
type Test = (character: string) => boolean;

/** What of a pattern is literal: most paths are told apart by that alone. */
export type Literals = {
  /** Every path it holds for begins with this. */
  readonly beginning: string;
  /** And has this in it. */
  readonly ending: string;
  /** Whether there are no wildcards, and the beginning is all. */
  readonly plain: boolean;
};

/** With `folds`, texts are compared in folded case. */
export function literalsOf(pattern: string, folds: boolean): Literals {
  const pieces = piecesOf(pattern);
  const form = (run: readonly Piece[]) => folded(run.map(({ literal }) => literal).join(''), folds);
  const first = pieces.findIndex(({ literal }) => literal === undefined);
  const last = pieces.findLastIndex(({ literal }) => literal === undefined);
  // A slash right behind `**` may be missing with it.
  const behind = pieces[last + 1]?.token === '/' ? last + 2 : last + 1;
  if (first === -1) return { beginning: form(pieces), ending: '', plain: true };
  return { beginning: form(pieces.slice(0, first)), ending: form(pieces.slice(behind)), plain: false };
}

/** With `folds`, the text to be walked comes in folded case. */
export function buildAutomaton(pattern: string, folds: boolean): Automaton {
  const builder = createBuilder();
  const pieces = piecesOf(pattern);
  for (const [index, { token, literal }] of pieces.entries()) {
    if (literal === undefined) addSpecial(builder, token, { folds, folders: isFolders(pieces, index) });
    // Else it belongs to the `**` in front of it.
    else if (token !== '/' || !isFolders(pieces, index - 1)) addLetters(builder, folded(literal, folds));
  }
  return builder.built();
}

function folded(text: string, folds: boolean): string {
  return folds ? foldCase(text) : text;
}

function addLetters(builder: Builder, letters: string): void {
  for (const letter of letters) builder.take((character) => character === letter);
}

/** `literal` is what it stands for, unless that is something special. */
type Piece = { readonly token: string; readonly literal: string | undefined; readonly groups: boolean };

function piecesOf(pattern: string): readonly Piece[] {
  const tokens = pattern.match(/\[!?[^\]/]+\]|\*+|[^]/gu) ?? [];
  const braces = groupingBraces(tokens);
  return tokens.map((token, index) => {
    const groups = braces.has(index);
    return { token, literal: groups ? undefined : literalOf(token), groups };
  });
}

/** The places of braces that enclose alternatives, and of the commas between these; any other is only a character. */
function groupingBraces(tokens: readonly string[]): ReadonlySet<number> {
  const places = new Set<number>();
  const open: number[][] = [];
  for (const [index, token] of tokens.entries()) {
    if (token === '{') open.push([index]);
    if (token === ',') open.at(-1)?.push(index);
    const group = token === '}' ? open.pop() : undefined;
    if (group && group.length > 1) for (const place of [...group, index]) places.add(place);
  }
  return places;
}

/** The one character a token stands for. A set of one is how a wildcard is written to mean itself. */
function literalOf(token: string): string | undefined {
  const only = /^\[([^!])\]$/su.exec(token)?.[1];
  if (only !== undefined) return only;
  return token === '?' || token.startsWith('*') || (token.startsWith('[') && token.length > 1) ? undefined : token;
}

/** Whether this is a `**` that is a name of its own with a slash behind it. */
function isFolders(pieces: readonly Piece[], index: number): boolean {
  const before = pieces[index - 1];
  const begins = before === undefined || before.token === '/' || before.groups;
  return begins && pieces[index]?.token.startsWith('**') === true && pieces[index + 1]?.token === '/';
}

type Special = { readonly folds: boolean; readonly folders: boolean };

function addSpecial(builder: Builder, token: string, { folds, folders }: Special): void {
  if (token === '{') builder.open();
  else if (token === ',') builder.or();
  else if (token === '}') builder.close();
  else if (token === '?') builder.take(isNoSlash);
  else if (token === '*') builder.run(isNoSlash);
  else if (folders) builder.folders();
  else if (token.startsWith('*')) builder.run(() => true);
  else builder.take(oneOf(token, folds));
}

function oneOf(set: string, folds: boolean): Test {
  const [, not = '', members = ''] = /^\[(!?)([^]+)\]$/u.exec(set) ?? [];
  const ranges = Array.from(members.matchAll(/([^])-([^])|[^]/gu), ([one, from = one, to = one]) => ({ from, to }));
  const holds = (character: string) => ranges.some(({ from, to }) => from <= character && character <= to);
  const isMember = folds ? (character: string) => holds(character) || holds(character.toUpperCase()) : holds;
  return (character) => isNoSlash(character) && isMember(character) !== (not === '!');
}

function isNoSlash(character: string): boolean {
  return character !== '/';
}

interface Builder {
  take(test: Test): void;
  run(test: Test): void;
  folders(): void;
  open(): void;
  or(): void;
  close(): void;
  built(): Pick<Automaton, 'states' | 'end'>;
}

/** Puts states behind each other. Groups are kept on a list of its own, as they may be nested to any depth. */
function createBuilder(): Builder {
  const states: State[] = [{ free: [] }];
  const groups: { readonly start: number; readonly ends: number[] }[] = [];
  let at = 0;

  /** A new state, to be reached freely from others. */
  function add(...from: readonly number[]): number {
    const state = states.push({ free: [] }) - 1;
    for (const each of from) states[each]?.free.push(state);
    return state;
  }

  function step(from: number, test: Test, to: number): void {
    const state = states[from];
    if (state) state.step = { test, to };
  }

  function take(test: Test): void {
    const to = add();
    step(at, test, to);
    at = to;
  }

  function run(test: Test): void {
    const loop = add(at);
    step(loop, test, loop);
    at = add(loop);
  }

  return {
    take,
    run,
    folders() {
      const before = at;
      run(() => true);
      take((character) => character === '/');
      at = add(before, at);
    },
    open() {
      groups.push({ start: at, ends: [] });
      at = add(at);
    },
    or() {
      const group = groups.at(-1);
      group?.ends.push(at);
      at = add(group?.start ?? at);
    },
    close: () => void (at = add(...(groups.pop()?.ends ?? []), at)),
    built: () => ({ states, end: at }),
  };
}

/** `covered`: it holds for the path or a folder above it. `open`: it may hold for one that begins like this. */
export function walk({ states, end }: Automaton, text: string): 'covered' | 'open' | 'none' {
  /** By state: how many characters were read when it was reached last, and one. */
  const reached = new Uint32Array(states.length);
  let round = 1;
  let current = withFree(states, [0], (state) => isFirst(reached, state, round));
  for (const character of text) {
    if (character === '/' && reached[end] === round) return 'covered';
    round += 1;
    const next: number[] = [];
    for (const { step } of current) if (step?.test(character)) next.push(step.to);
    if (next.length === 0) return 'none';
    current = withFree(states, next, (state) => isFirst(reached, state, round));
    // As `/a/` names the folder, so does `/a/{b,}`.
    if (character === '/' && reached[end] === round) return 'covered';
  }
  return reached[end] === round ? 'covered' : 'open';
}

function isFirst(reached: Uint32Array, state: number, round: number): boolean {
  const first = reached[state] !== round;
  reached[state] = round;
  return first;
}

/** These states and all that are reached freely from them, each once. */
function withFree(states: readonly State[], waiting: number[], isNew: (state: number) => boolean): State[] {
  const all: State[] = [];
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    const state = states[index];
    if (state === undefined || !isNew(index)) continue;
    all.push(state);
    for (const next of state.free) waiting.push(next);
  }
  return all;
}
