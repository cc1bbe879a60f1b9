/** `a{b,c}d` as the texts that it stands for, `abd` and `acd`. */

/** More are a mistake, or somebody's joke. */
const MOST_TEXTS = 1_000;

/** Undefined when a brace does not end, was not begun, or there are too many texts. */
export function expandBraces(text: string): readonly string[] | undefined {
  if (!/[{}]/.test(text)) return [text];
  let texts: readonly string[] = [''];
  for (const piece of piecesOf(text)) {
    if (piece.kind === 'broken') return undefined;
    const choices = piece.kind === 'literal' ? [piece.text] : expandAll(piece.choices);
    if (choices === undefined || choices.length * texts.length > MOST_TEXTS) return undefined;
    texts = texts.flatMap((head) => choices.map((tail) => head + tail));
  }
  return texts;
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

type Piece =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'choices'; readonly choices: readonly string[] }
  | { readonly kind: 'broken' };

function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  let depth = 0;
  for (const { character, index } of plainCharacters(text)) {
    if (character === '{') {
      if (depth === 0) {
        pieces.push({ kind: 'literal', text: text.slice(from, index) });
        from = index + 1;
      }
      depth += 1;
    } else if (character === '}') {
      depth -= 1;
      if (depth < 0) return [{ kind: 'broken' }];
      if (depth > 0) continue;
      pieces.push({ kind: 'choices', choices: splitAtCommas(text.slice(from, index)) });
      from = index + 1;
    }
  }
  return depth > 0 ? [{ kind: 'broken' }] : [...pieces, { kind: 'literal', text: text.slice(from) }];
}

function expandAll(choices: readonly string[]): readonly string[] | undefined {
  const all: string[] = [];
  for (const choice of choices) {
    const texts = expandBraces(choice);
    if (texts === undefined || all.length + texts.length > MOST_TEXTS) return undefined;
    all.push(...texts);
  }
  return all;
}

/** Those that may mean something: not behind a backslash, not in a set. */
function* plainCharacters(text: string): Generator<{ readonly character: string; readonly index: number }> {
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] as string;
    if (character === '\\') index += 1;
    else if (character === '[') index = endOfSet(text, index);
    else yield { character, index };
  }
}

function endOfSet(text: string, open: number): number {
  const first = open + (/[!^]/.test(text[open + 1] ?? '') ? 3 : 2);
  const end = text.indexOf(']', first);
  return end === -1 ? open : end;
}
