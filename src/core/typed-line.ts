/** Text that is typed, as the lines a program reads. */

/** The end of a line, or an interrupt. The end of input is none: behind other text it only hands that on. */
const LINE_ENDS = /[\r\n\u0003]+/;

export function typedLines(text: string): readonly string[] {
  return text.split(LINE_ENDS);
}

/** Nobody reads a longer line, so no more of it is kept. */
const LONGEST_LINE = 64 * 1024;

/** What stands on the line after the text was typed. */
export function unfinishedLine(before: string, text: string): string {
  return (typedLines(`${before}${text}`).at(-1) ?? '').slice(0, LONGEST_LINE);
}
