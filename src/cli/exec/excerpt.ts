/** As many lines of a text as a person wants to see of it in passing. */

const LINES_AT_EACH_END = 10;
const MOST_DIFF_LINES = 400;
const LONGEST_LINE = 400;

/** Of what a command printed, the beginning and the end say most. */
export function bothEndsOf(text: string): readonly string[] {
  const lines = linesOf(text);
  const more = lines.length - 2 * LINES_AT_EACH_END;
  if (more <= 1) return lines.map(shortened);
  const [head, tail] = [lines.slice(0, LINES_AT_EACH_END), lines.slice(-LINES_AT_EACH_END)];
  return [...head, `… ${more} more lines …`, ...tail].map(shortened);
}

export function beginningOf(diff: string): readonly string[] {
  const lines = linesOf(diff);
  const more = lines.length - MOST_DIFF_LINES;
  const shown = more <= 1 ? lines : [...lines.slice(0, MOST_DIFF_LINES), `… ${more} more lines …`];
  return shown.map(shortened);
}

function linesOf(text: string): readonly string[] {
  const whole = text.replace(/\n+$/, '');
  return whole === '' ? [] : whole.split('\n');
}

function shortened(line: string): string {
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
}
