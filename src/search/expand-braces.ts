/** `a{b,c}d` as the texts that it stands for, `abd` and `acd`. The text is read once, however its braces are. */
import type { Effort } from './effort.js';

/** Deeper is a mistake, or somebody's joke. */
const MOST_LEVELS = 10;
/** For a text that something is appended to. */
const STEPS_A_TEXT = 30;

export type Expanded = { readonly kind: 'texts'; readonly texts: readonly string[] } | { readonly kind: Fault };

/** A brace does not end or was not begun; or they stand for more texts than are wanted, or are too deep in each other. */
type Fault = 'broken' | 'too-many';

export function expandBraces(text: string, mostTexts: number, effort: Effort): Expanded {
  if (!/[{}]/.test(text)) return { kind: 'texts', texts: [text] };
  const levels: Level[] = [{ done: [], texts: [''] }];
  let from = 0;
  for (const { character, index } of plainCharacters(text)) {
    const step = STEPS.get(character);
    if (step === undefined || (character === ',' && levels.length === 1)) continue;
    append(levels, text.slice(from, index));
    from = index + 1;
    const fault = step(levels, mostTexts);
    effort.left -= STEPS_A_TEXT * (1 + lastOf(levels).texts.length);
    if (fault !== undefined) return { kind: fault };
  }
  append(levels, text.slice(from));
  return levels.length > 1 ? { kind: 'broken' } : { kind: 'texts', texts: lastOf(levels).texts };
}

/** Splits at commas that are in no braces. */
export function splitAtCommas(text: string): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  let depth = 0;
  for (const { character, index } of plainCharacters(text)) {
    if (character === '{') depth += 1;
    if (character === '}') depth -= 1;
    if (character !== ',' || depth > 0) continue;
    parts.push(text.slice(from, index));
    from = index + 1;
  }
  return [...parts, text.slice(from)];
}

/** What is between two braces, as far as it was read. */
type Level = {
  /** The texts of the choices before. */
  done: string[];
  /** Those of the choice that is being read. */
  texts: string[];
};

/** Those that may mean something: not behind a backslash, not in a set. */
function* plainCharacters(text: string): Generator<{ readonly character: string; readonly index: number }> {
  const lastEnd = text.lastIndexOf(']');
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] as string;
    if (character === '\\') index += 1;
    else if (character === '[') index = endOfSet(text, index, lastEnd);
    else yield { character, index };
  }
}

/** `lastEnd` spares a look through the rest of the text for each set that has no end. */
function endOfSet(text: string, begin: number, lastEnd: number): number {
  const first = begin + (/[!^]/.test(text[begin + 1] ?? '') ? 3 : 2);
  return first > lastEnd ? begin : text.indexOf(']', first);
}

const STEPS: ReadonlyMap<string, (levels: Level[], mostTexts: number) => Fault | undefined> = new Map([
  ['{', open],
  [',', endChoice],
  ['}', close],
]);

function append(levels: readonly Level[], literal: string): void {
  const level = lastOf(levels);
  if (literal !== '') level.texts = level.texts.map((text) => text + literal);
}

function open(levels: Level[]): Fault | undefined {
  if (levels.length > MOST_LEVELS) return 'too-many';
  levels.push({ done: [], texts: [''] });
  return undefined;
}

function endChoice(levels: readonly Level[]): undefined {
  const level = lastOf(levels);
  level.done.push(...level.texts);
  level.texts = [''];
}

/** Each text of the level around goes on with each one that this level stands for. */
function close(levels: Level[], mostTexts: number): Fault | undefined {
  if (levels.length === 1) return 'broken';
  endChoice(levels);
  const { done } = lastOf(levels);
  levels.pop();
  const around = lastOf(levels);
  if (around.texts.length * done.length > mostTexts) return 'too-many';
  around.texts = around.texts.flatMap((head) => done.map((tail) => head + tail));
  return undefined;
}

function lastOf(levels: readonly Level[]): Level {
  return levels.at(-1) as Level;
}
