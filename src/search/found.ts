/** What a search found, whoever searched. */

export type Found = {
  /** In no order. */
  readonly files: readonly FoundFile[];
  /** Why there may be more, in words. */
  readonly unfinished?: string;
  /** What else was not searched, in words. */
  readonly notes: readonly string[];
};

export type FoundFile = {
  /** Relative to where it was searched, with `/` between names. */
  readonly path: string;
  /** Lines that match; 1 where only the files were asked for. */
  readonly matches: number;
  /** In the order of the file, with the lines around them; none where they were not asked for. */
  readonly lines: readonly FoundLine[];
};

export type FoundLine = {
  readonly number: number;
  readonly matches: boolean;
  /** Made when it is asked for: of many lines only a few are shown. */
  readonly text: () => Uint8Array;
};

/** What is looked for, in words that both kinds of search understand. */
export type SearchRequest = {
  readonly pattern: string;
  readonly output: 'content' | 'files' | 'count';
  readonly caseSensitive: boolean;
  readonly literal: boolean;
  readonly multiline: boolean;
  /** Lines before and after each. */
  readonly context: number;
};

/** A line shows so much. */
export const MAX_LINE_BYTES = 500;
/** More than that is not collected. */
export const MAX_FOUND_BYTES = 16 * 1024 * 1024;
