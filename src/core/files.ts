/**
 * The files of a workspace. Whoever changes some says what it has seen in their place: nothing is changed that somebody
 * else has changed meanwhile, and of several changes either all are made or none.
 */
import type { AbsolutePath } from './paths.js';

export interface Files {
  /** Opens a regular file for reading; throws a `FileProblem` for anything else. */
  open(path: AbsolutePath): Promise<OpenFile>;
  /** What has this name; a link is not followed. Undefined when nothing has; throws a `FileProblem` when that is not told. */
  look(path: AbsolutePath): Promise<Entry | undefined>;
  /** What is in a folder, in no order, a portion at a time; throws a `FileProblem` when it is none. */
  list(path: AbsolutePath): AsyncIterable<readonly ListedEntry[]>;
  /**
   * Makes all of these changes or, when it throws a `FileProblem`, none of them; unless that is of the kind `torn`. Folders
   * above are made as needed.
   */
  readonly change: MakeChanges;
}

interface MakeChanges {
  (changes: readonly FileChange[]): Promise<void>;
  /**
   * The same for whoever is still putting it on record: what takes time may be prepared meanwhile, but no name changes before
   * `recorded` has resolved, and none at all when it rejects. It is a part of the function, so that whoever puts another one
   * in its place need not know of it.
   */
  readonly onceRecorded?: (changes: readonly FileChange[], recorded: Promise<unknown>) => Promise<void>;
}

export interface OpenFile {
  readonly size: number;
  /** The permission bits. */
  readonly mode: number;
  /** Fills `into` from `position` on; resolves to the bytes read, 0 at the end. */
  read(into: Uint8Array, position: number): Promise<number>;
  close(): Promise<void>;
}

export type EntryKind = 'file' | 'folder' | 'link' | 'other';

export type Entry = {
  readonly kind: EntryKind;
  readonly size: number;
  /** The permission bits. */
  readonly mode: number;
  /** When its content was last changed, in milliseconds since 1970. */
  readonly modified: number;
  /** Where a link leads, as it is written. */
  readonly target?: string;
};

export type ListedEntry = { readonly name: string; readonly kind: EntryKind };

/**
 * A change to one name. Where both sides are files, a link is followed and stays; in all other cases the change is to the
 * name itself.
 */
export type FileChange = {
  readonly path: AbsolutePath;
  /** What was seen there. If it is something else by now, nothing is changed; modes are not compared. */
  readonly before: FileState;
  readonly after: FileState;
  /** The right to write the file is not asked for: what was there comes back, also where a command has taken that right. */
  readonly puttingBack?: true;
};

/** Without a mode, a file or folder keeps the one it has, or gets the usual one. */
export type FileState =
  | { readonly kind: 'file'; readonly content: Uint8Array; readonly mode?: number }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'folder'; readonly mode?: number }
  | { readonly kind: 'absent' };

export const ABSENT: FileState = { kind: 'absent' };
