/** `a{b,c}d` as the texts that it stands for, `abd` and `acd`. The text is read once, however its braces are. */

/** Deeper is a mistake, or somebody's joke. */
const MOST_LEVELS = 10;

export type Expanded =
  | { readonly kind: 'texts'; readonly texts: readonly string[] }
  /** A brace does not end, or was not begun. */
  | { readonly kind: 'broken' }
  /** The braces stand for more texts than are wanted, or are too deep in each other. */
  | { readonly kind: 'too-many' };

export function expandBraces(text: string, mostTexts: number): Expanded {
  if (!/[{}]/.test(text)) return { kind: 'texts', texts: [text] };
  const levels: Level[] = [{ done: [], texts: [''] }];
  let from = 0;
  for (const { character, index } of plainCharacters(text)) {
    const level = levels.at(-1) as Level;
    if (!isBraceOrComma(character) || (character === ',' && levels.length === 1)) continue;
    append(level, text.slice(from, index));
    from = index + 1;
    if (character === '{') {
      if (levels.length > MOST_LEVELS) return { kind: 'too-many' };
      levels.push({ done: [], texts: [''] });
    } else if (character === ',') {
      endChoice(level);
    } else if (!closeLevel(levels)) {
      return { kind: 'broken' };
    }
    if (countOf(levels.at(-1) as Level) > mostTexts) return { kind: 'too-many' };
  }
  const [all, open] = levels as [Level, Level?];
  if (open !== undefined) return { kind: 'broken' };
  append(all, text.slice(from));
  return { kind: 'texts', texts: all.texts };
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
function endOfSet(text: string, open: number, lastEnd: number): number {
  const first = open + (/[!^]/.test(text[open + 1] ?? '') ? 3 : 2);
  return first > lastEnd ? open : text.indexOf(']', first);
}

function isBraceOrComma(character: string): boolean {
  return character === '{' || character === '}' || character === ',';
}

function append(level: Level, literal: string): void {
  if (literal !== '') level.texts = level.texts.map((text) => text + literal);
}

function endChoice(level: Level): void {
  level.done.push(...level.texts);
  level.texts = [''];
}

/** What the last level stands for goes to the end of each text of the one around it. False when there is none. */
function closeLevel(levels: Level[]): boolean {
  const level = levels.pop() as Level;
  const around = levels.at(-1);
  if (around === undefined) return false;
  endChoice(level);
  around.texts = around.texts.flatMap((head) => level.done.map((tail) => head + tail));
  return true;
}

function countOf({ done, texts }: Level): number {
  return done.length + texts.length;
}
