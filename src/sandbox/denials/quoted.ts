/** The quoted pieces of a line of bounded length, in the marks that programs put around names. */

export type Quoted = {
  readonly text: string;
  /** Where the mark before it and the character after its last mark stand. */
  readonly from: number;
  readonly to: number;
};

export function quotedIn(line: string): readonly Quoted[] {
  const found: Quoted[] = [];
  // Where one mark has no partner, those that follow have none either.
  const unclosed = new Set<string>();
  let position = 0;
  for (const { index, 0: mark } of line.matchAll(/['"`\u2018\u201c]/g)) {
    if (index < position || unclosed.has(mark) || isApostrophe(line, index, mark)) continue;
    const close = closing(line, index, mark);
    if (close === undefined) {
      unclosed.add(mark);
      continue;
    }
    found.push({ text: line.slice(index + 1, close), from: index, to: close + 1 });
    position = close + 1;
  }
  return found;
}

/** As in "couldn't"; but Python marks bytes with a letter. */
function isApostrophe(line: string, index: number, mark: string): boolean {
  if (mark !== "'") return false;
  return isLetter(line[index - 1]) && !(line[index - 1] === 'b' && !isLetter(line[index - 2]));
}

/** A single mark within a word is part of the name. The old GNU way opens with a backtick and closes with an apostrophe. */
function closing(line: string, open: number, mark: string): number | undefined {
  const found = [...(CLOSING[mark] ?? mark)]
    .map((end) => indexOfEnd(line, end, open + 1))
    .filter((index) => index >= 0);
  return found.length > 0 ? Math.min(...found) : undefined;
}

const CLOSING: Readonly<Record<string, string>> = { '‘': '’', '“': '”', '`': "`'" };

function indexOfEnd(line: string, end: string, from: number): number {
  const index = line.indexOf(end, from);
  const isWithin = end === "'" && index >= 0 && isLetter(line[index + 1]);
  return isWithin ? indexOfEnd(line, end, index + 1) : index;
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}
