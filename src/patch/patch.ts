/** A patch as data: what is to happen to which file, in the order in which it was written. Paths are as written. */

export type Patch = { readonly sections: readonly FileSection[] };

export type FileSection =
  | {
      readonly kind: 'add';
      readonly path: string;
      /** It must not be there yet. */
      readonly isNew?: true;
      readonly content: string;
      /** The permission bits, where the patch tells them. */
      readonly mode?: number;
      readonly text: string;
    }
  /** With hunks, they have to be the whole file. */
  | { readonly kind: 'delete'; readonly path: string; readonly hunks: readonly Hunk[]; readonly text: string }
  | {
      readonly kind: 'update';
      readonly path: string;
      readonly hunks: readonly Hunk[];
      /** Where the outcome goes. The file moves there, or stays as well when this is a copy. */
      readonly to?: Destination;
      readonly mode?: number;
      readonly text: string;
    }
  /** Replaces text that occurs once, wherever its lines begin and end. */
  | {
      readonly kind: 'replace';
      readonly path: string;
      readonly original: string;
      readonly updated: string;
      readonly text: string;
    };

/** `isNew`: nothing must be there yet. */
export type Destination = { readonly path: string; readonly copy: boolean; readonly isNew?: true };

export type Hunk = {
  /** Lines that come before it in the file, each after the one before. */
  readonly context: readonly string[];
  readonly lines: readonly HunkLine[];
  /** Where it should begin, counted from 0. A hint. */
  readonly position?: number;
  /** Whether its lines are the last ones of the file. */
  readonly atEnd: boolean;
  /** Whether the last line of the file ends with a newline afterwards, where the patch tells. */
  readonly finalNewline?: boolean;
};

export type HunkLine = {
  readonly mark: ' ' | '+' | '-';
  readonly text: string;
  /** How an added line ends, where the patch tells. */
  readonly ending?: Ending;
};

export type Ending = '\n' | '\r\n';
