/**
 * Looks into the middle of a text: for JSON values, whose end is found by their quotes and brackets before a parser decides,
 * and for marks. All looks together cost no more than a few passes over the text, whatever is in it.
 */
import { parseJson } from '../core/json-object.js';

export interface TextScanner {
  /** The values that follow one another from here on, with blanks, commas or semicolons between. `end` is behind them. */
  valuesAt(start: number): { readonly values: readonly unknown[]; readonly end: number };
  /** Where the mark comes next. */
  find(mark: string, from: number): number | undefined;
}

const PASSES = 4;

export function createTextScanner(text: string): TextScanner {
  let effort = PASSES * text.length;

  function valueEnd(start: number): number | undefined {
    const limit = Math.min(text.length, start + effort);
    const end = closingBracket(text, start, limit);
    effort -= (end ?? limit) - start;
    return end;
  }

  return {
    valuesAt(start) {
      const values: unknown[] = [];
      let end = start;
      for (let next = valueStart(text, end); next !== undefined; next = valueStart(text, end)) {
        const close = valueEnd(next);
        const value = close === undefined ? undefined : parseJson(text.slice(next, close));
        if (close === undefined || value === undefined) return { values: [], end: start };
        values.push(value);
        end = close;
      }
      return { values, end };
    },
    find(mark, from) {
      if (effort <= 0) return undefined;
      const found = text.indexOf(mark, from);
      effort -= (found === -1 ? text.length : found) - from;
      return found === -1 ? undefined : found;
    },
  };
}

/** Where an object or a list begins, if nothing else stands before it. */
function valueStart(text: string, from: number): number | undefined {
  const blanks = /[\s,;]*(?=[{[])/y;
  blanks.lastIndex = from;
  return blanks.test(text) ? blanks.lastIndex : undefined;
}

/** The place behind the bracket that closes the one at `start`. */
function closingBracket(text: string, start: number, limit: number): number | undefined {
  const marks = /["\\[\]{}]/g;
  marks.lastIndex = start;
  let depth = 0;
  let quoted = false;
  for (let found = marks.exec(text); found !== null && found.index < limit; found = marks.exec(text)) {
    const mark = found[0];
    if (mark === '\\') marks.lastIndex += 1;
    else if (mark === '"') quoted = !quoted;
    else if (!quoted) {
      depth += mark === '{' || mark === '[' ? 1 : -1;
      if (depth === 0) return found.index + 1;
    }
  }
  return undefined;
}
