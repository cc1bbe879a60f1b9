/** The same files, none of which changes before the attempt that changes it is on record. */
import { changeOnceRecorded } from '../core/change-once-recorded.js';
import type { FileChange, Files } from '../core/files.js';
import { filesWith } from '../core/files-with.js';

export function changeOnceAnnounced(files: Files, announced: Promise<unknown>): Files {
  const onceRecorded = (changes: readonly FileChange[], recorded: Promise<unknown>): Promise<void> =>
    changeOnceRecorded(files, changes, Promise.all([announced, recorded]));
  const change = (changes: readonly FileChange[]): Promise<void> => changeOnceRecorded(files, changes, announced);
  return filesWith(files, { change: Object.assign(change, { onceRecorded }) });
}
