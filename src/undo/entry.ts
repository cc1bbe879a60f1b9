/** One entry of the log as it is kept: a line that says what was changed, and the contents that it takes to put it back. */
import type { ChangedFile, ChangeOwner, RecordedChange } from '../core/change-log.js';
import { callId } from '../core/ids.js';
import type { AbsolutePath } from '../core/paths.js';

/** What had a name, without its content. */
export type StoredState =
  | { readonly kind: 'absent' }
  | StoredContent
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'folder'; readonly mode?: number };

type StoredContent = {
  readonly kind: 'file';
  readonly size: number;
  readonly mode?: number;
  /** Absent where the file was too large to be read; then its time has to do. */
  readonly sha256?: string;
  /** Whole milliseconds since 1970. */
  readonly modified?: number;
  /** Where its content begins among those of the entry; absent where it is not kept. */
  readonly offset?: number;
};

export type StoredFile = {
  readonly path: AbsolutePath;
  readonly before: StoredState;
  /** Absent as long as it is not known what the change will make of it. */
  readonly after?: StoredState;
};

export type EntryHeader = {
  readonly v: 1;
  readonly id: string;
  readonly callId: string;
  readonly turn: string;
  readonly title: string;
  readonly at: string;
  /** The process that made the change. */
  readonly by: string;
  readonly files: readonly StoredFile[];
  /** The entries that this one took back. */
  readonly undoes?: readonly string[];
  readonly uncovered?: string;
  /** Of a change that was cut short: what could not be put back, because somebody else has changed it since. */
  readonly notPutBack?: readonly string[];
};

/** What is known of an entry before it has a number and a time. */
export type Draft = {
  readonly owner: ChangeOwner;
  readonly files: readonly StoredFile[];
  /** In the order of their offsets. */
  readonly contents: readonly Uint8Array[];
  readonly undoes?: readonly string[];
  readonly uncovered?: string;
};

export function changedFile({ path, before, after = before }: StoredFile): ChangedFile {
  if (before.kind === 'absent') return { path, change: 'added' };
  if (after.kind === 'absent') return { path, change: 'deleted' };
  return { path, change: isSameContent(before, after) ? 'mode-changed' : 'modified' };
}

export function isSameContent(one: StoredState, other: StoredState): boolean {
  if (one.kind === 'link' && other.kind === 'link') return one.target === other.target;
  if (one.kind !== 'file' || other.kind !== 'file') return one.kind === other.kind;
  if (one.size !== other.size) return false;
  if (one.sha256 !== undefined && other.sha256 !== undefined) return one.sha256 === other.sha256;
  return one.modified !== undefined && one.modified === other.modified;
}

export function isSameMode(one: StoredState, other: StoredState): boolean {
  const [first, second] = [modeOf(one), modeOf(other)];
  return first === undefined || second === undefined || first === second;
}

export function modeOf(state: StoredState): number | undefined {
  return state.kind === 'file' || state.kind === 'folder' ? state.mode : undefined;
}

export function recordedChange(header: EntryHeader, undoneBy?: string): RecordedChange {
  const { id, turn, title, at, files, undoes, notPutBack } = header;
  const lost = notPutBack === undefined ? undefined : wasCutShort(notPutBack);
  const uncovered = [header.uncovered, lost].filter((text) => text !== undefined).join('; ');
  return {
    id,
    callId: callId(header.callId),
    turn,
    title,
    at,
    files: files.map(changedFile),
    ...(undoes && { undoes }),
    ...(undoneBy !== undefined && { undoneBy }),
    ...(uncovered !== '' && { uncovered }),
  };
}

function wasCutShort(paths: readonly string[]): string {
  return `it was cut short, and these were changed by somebody else before they could be put back: ${paths.join(', ')}`;
}
