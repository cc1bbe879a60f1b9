/**
 * Patterns for names: literal text in any case, with `*` for any run, `?` for any one character and `[abc]`, `[a-z]` or
 * `[!abc]` for one of a set. A bracket that opens no set is literal.
 */

export function nameMatcher(patterns: readonly string[]): (name: string) => boolean {
  const parsed = patterns.map(parsePattern);
  return (name) => {
    const characters = [...name];
    return parsed.some((parts) => fits(characters, parts));
  };
}

/** A test of one character, or a run of any. */
type Part = '*' | ((character: string) => boolean);

function parsePattern(pattern: string): readonly Part[] {
  return Array.from(pattern.matchAll(/\[(?<not>!?)(?<set>[^[\]]+)\]|[^]/gu), ({ 0: text, groups = {} }) => {
    const { not, set } = groups;
    if (set !== undefined) return oneOf(set, not === '!');
    if (text === '*') return '*';
    return text === '?' ? () => true : sameLetter(text);
  });
}

function oneOf(set: string, negated: boolean): Part {
  const ranges = Array.from(set.matchAll(/(?<from>[^])-(?<to>[^])|[^]/gu), ({ 0: text, groups = {} }) => {
    const { from = text, to = text } = groups;
    return inRange(from, to);
  });
  return (character) => ranges.some((range) => range(character)) !== negated;
}

function inRange(from: string, to: string): (character: string) => boolean {
  const isBetween = (character: string) => from <= character && character <= to;
  return (character) => isBetween(character.toLowerCase()) || isBetween(character.toUpperCase());
}

function sameLetter(letter: string): (character: string) => boolean {
  const folded = letter.toLowerCase();
  return (character) => character.toLowerCase() === folded;
}

/** On a mismatch only the last `*` takes one character more: earlier ones need no second try, so work stays small. */
function fits(characters: readonly string[], parts: readonly Part[]): boolean {
  let index = 0;
  let part = 0;
  let retry: { index: number; readonly part: number } | undefined;
  for (;;) {
    const character = characters[index];
    const wanted = parts[part];
    if (wanted === '*') {
      part += 1;
      retry = { index, part };
    } else if (character === undefined) {
      return wanted === undefined;
    } else if (wanted?.(character)) {
      index += 1;
      part += 1;
    } else if (retry) {
      retry.index += 1;
      ({ index, part } = retry);
    } else {
      return false;
    }
  }
}
