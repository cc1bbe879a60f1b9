/** In what a few lines of a patch differ from a few lines of a file, in words. */
import { PASSES } from './matching-passes.js';
import { shownLine } from './show-lines.js';

const MOST_WORDS = 3;
const MOST_COMPARED = 100;

/**
 * Compares the lines of the file from `start` up to `end`. `from` is the first of them that has a counterpart, and `first`
 * the one where the first difference is.
 */
export function differences(
  old: readonly string[],
  lines: readonly string[],
  start: number,
  end: number,
): { readonly from: number; readonly first: number; readonly words: readonly string[] } {
  const ours = old.slice(0, MOST_COMPARED);
  const theirs = lines.slice(start, Math.min(end, start + MOST_COMPARED));
  const lengths = commonLengths(ours, theirs);
  const words: string[] = [];
  let first: number | undefined;
  let [at, line] = [0, 0];
  while (line < theirs.length && !isSame(ours[0], theirs[line]) && stepAt(lengths, 0, line) === 'theirs') line += 1;
  const from = start + line;
  while ((at < ours.length || line < theirs.length) && words.length < MOST_WORDS) {
    if (isSame(ours[at], theirs[line])) {
      [at, line] = [at + 1, line + 1];
      continue;
    }
    first ??= start + line;
    const step = stepAt(lengths, at, line);
    const [mine, other] = [ours[at], theirs[line]];
    if (step === 'both' && mine !== undefined && other !== undefined) {
      words.push(`line ${start + line + 1} has ${shownLine(other)} where the patch has ${shownLine(mine)}`);
    } else if (step === 'theirs' && other !== undefined) {
      words.push(`line ${start + line + 1}, ${shownLine(other)}, is not in the patch`);
    } else if (mine !== undefined) words.push(`the patch has ${shownLine(mine)}, which is not there in the file`);
    if (step !== 'theirs') at += 1;
    if (step !== 'ours') line += 1;
  }
  return { from, first: first ?? from, words };
}

type Lengths = readonly Int32Array[];

/** How many lines are in common from each pair of lines on. */
function commonLengths(ours: readonly string[], theirs: readonly string[]): Lengths {
  const rows = Array.from({ length: ours.length + 1 }, () => new Int32Array(theirs.length + 1));
  for (let at = ours.length - 1; at >= 0; at -= 1) {
    for (let line = theirs.length - 1; line >= 0; line -= 1) {
      const same = isSame(ours[at], theirs[line]);
      const value = same
        ? lengthAt(rows, at + 1, line + 1) + 1
        : Math.max(lengthAt(rows, at + 1, line), lengthAt(rows, at, line + 1));
      rows[at]?.fill(value, line, line + 1);
    }
  }
  return rows;
}

function stepAt(lengths: Lengths, at: number, line: number): 'both' | 'ours' | 'theirs' {
  const best = lengthAt(lengths, at, line);
  if (lengthAt(lengths, at + 1, line + 1) === best) return 'both';
  return lengthAt(lengths, at + 1, line) === best ? 'ours' : 'theirs';
}

function lengthAt(lengths: Lengths, at: number, line: number): number {
  return lengths[at]?.[line] ?? 0;
}

function isSame(a: string | undefined, b: string | undefined): boolean {
  const normalise = PASSES.at(-1)?.normalise;
  return a !== undefined && b !== undefined && (a === b || normalise?.(a) === normalise?.(b));
}
