/** The last look before a launch: whatever was swapped since the policy was resolved must not be opened. */
import type { Place, ResolvedPolicy } from '../policy.js';
import { statsOf } from './places.js';

/** The places that are not what they were: gone, a link, or something else under the same path. */
export function changedPlaces(resolved: ResolvedPolicy): readonly Place[] {
  const { writable, protected: closed, pinned, granted, hidden } = resolved;
  return [...writable, ...closed, ...pinned, ...granted, ...hidden].filter((place) => !isSamePlace(place));
}

export function isSamePlace({ path, kind, device, inode }: Place): boolean {
  try {
    const stats = statsOf(path);
    if (stats === undefined || stats.isSymbolicLink()) return false;
    return stats.dev === device && stats.ino === inode && stats.isDirectory() === (kind === 'folder');
  } catch {
    return false;
  }
}
