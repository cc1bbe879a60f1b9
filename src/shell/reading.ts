/** What a command line says it would run: every command in it, as far as that can be told before it runs. */

/** A word as the program will get it, or what stands for it where only the run will tell. */
export type Word = string | UnknownWord;

export type UnknownWord = {
  /** As it is written. */
  readonly source: string;
  /** What it surely begins with; the rest is unknown. */
  readonly begins: string;
  /** Whether it may become no word or several. */
  readonly splits: boolean;
};

/** One command with its words, and what it runs in turn. */
export type Segment = {
  /** The program first. */
  readonly words: readonly Word[];
  /** Names of variables that are set for it alone. */
  readonly variables: readonly string[];
  /** Its name stands for a function of the script. */
  readonly shadowed?: true;
  /** Folders it may be started in; undefined when that cannot be told. */
  readonly folders: readonly string[] | undefined;
  /** Present when it is there to run other commands: a shell with its script, `sudo`, `xargs`. */
  readonly runs?: Inside;
};

export type Inside = {
  /** Whether running them this way is as good as running them directly. `sudo` is not. */
  readonly plainly: boolean;
  readonly reading: Reading;
};

export type Reading = {
  /** In the order in which they are written, conditions, loops and substitutions included. */
  readonly segments: readonly Segment[];
  /** Files that redirections open. */
  readonly files: readonly FileUse[];
  /** Why it may do more than is said here; empty when it cannot. */
  readonly unclear: readonly string[];
};

export type FileUse = {
  readonly access: 'read' | 'write';
  readonly target: Word;
  /** Where it may be; undefined when that cannot be told. */
  readonly paths: readonly string[] | undefined;
};

/** What a command line is read against. */
export type Surroundings = {
  readonly cwd: string;
  /** What `~` stands for. */
  readonly home: string;
};

/** A command and all that it runs, however deep. */
export function everySegment(segment: Segment): readonly Segment[] {
  return [segment, ...(segment.runs ? segmentsOf(segment.runs.reading) : [])];
}

export function segmentsOf({ segments }: Reading): readonly Segment[] {
  return segments.flatMap(everySegment);
}

export function isExact(word: Word | undefined): word is string {
  return typeof word === 'string';
}

/** The text of a word, or no more than what it surely begins with. */
export function sureText(word: Word | undefined): string {
  return word === undefined ? '' : isExact(word) ? word : word.begins;
}
