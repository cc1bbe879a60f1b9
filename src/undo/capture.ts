/** What has these names now: with its content as long as there is room, else by its hash, and what is large by its time. */
import { ToolFailure } from '../core/errors.js';
import type { Entry, Files, FileState } from '../core/files.js';
import type { AbsolutePath } from '../core/paths.js';
import { sideBySide } from '../core/side-by-side.js';
import type { StoredState } from './entry.js';
import type { ScanLimits } from './scan.js';
import { stateOf } from './states.js';

export type Captured = {
  readonly path: AbsolutePath;
  readonly stored: StoredState;
  /** Absent where there was no room for its content. */
  readonly state?: FileState;
};

type Room = Pick<ScanLimits, 'fileBytes' | 'totalBytes'>;

/** What cannot be read is left out. */
export async function capture(
  files: Files,
  paths: Iterable<AbsolutePath>,
  { fileBytes, totalBytes }: Room,
): Promise<readonly Captured[]> {
  const seen = (await sideBySide([...paths], (path) => look(files, path))).flat();
  let used = 0;
  const placed = seen.map(({ path, entry }): Place => {
    const size = entry?.kind === 'file' ? entry.size : 0;
    const isLarge = size > fileBytes;
    const hasRoom = !isLarge && used + size <= totalBytes;
    if (hasRoom) used += size;
    return { path, entry, isLarge, hasRoom };
  });
  return (await sideBySide(placed, (place) => captureOne(files, place))).flat();
}

type Looked = { readonly path: AbsolutePath; readonly entry: Entry | undefined };
type Place = Looked & { readonly isLarge: boolean; readonly hasRoom: boolean };

async function look(files: Files, path: AbsolutePath): Promise<readonly Looked[]> {
  try {
    return [{ path, entry: await files.look(path) }];
  } catch (error) {
    if (error instanceof ToolFailure) return [];
    throw error;
  }
}

async function captureOne(files: Files, { path, entry, isLarge, hasRoom }: Place): Promise<readonly Captured[]> {
  if (entry !== undefined && isLarge) {
    const { size, mode, modified } = entry;
    return [{ path, stored: { kind: 'file', size, mode, modified: Math.floor(modified) } }];
  }
  const { state, stored } = await stateOf(files, path, entry);
  if (state === undefined || stored === undefined) return [];
  return [{ path, stored, ...(hasRoom && { state }) }];
}
