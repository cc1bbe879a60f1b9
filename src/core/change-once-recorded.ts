/** A change that must not be made before it is on record, with as much of it prepared meanwhile as the files can. */
import type { FileChange, Files } from './files.js';

export async function changeOnceRecorded(
  files: Files,
  changes: readonly FileChange[],
  recorded: Promise<unknown>,
): Promise<void> {
  // It is heard of when it is waited for, which may be later than it fails.
  recorded.catch(() => undefined);
  const { onceRecorded } = files.change;
  if (onceRecorded !== undefined) return onceRecorded(changes, recorded);
  await recorded;
  await files.change(changes);
}
