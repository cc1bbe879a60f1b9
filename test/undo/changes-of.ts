/** Changes in short: by name, what was there and what will be. */
import type { FileChange, FileState } from '../../src/core/files.js';
import type { AbsolutePath } from '../../src/core/paths.js';

export type Sides = Readonly<Record<string, readonly [Side, Side]>>;

/** The content of a file, where a link leads with `->` before it, `/` for a folder, or nothing. */
type Side = string | null | undefined;

export function changesOf(at: (name: string) => AbsolutePath, sides: Sides): readonly FileChange[] {
  return Object.entries(sides).map(([name, [before, after]]) => ({
    path: at(name),
    before: stateOf(before),
    after: stateOf(after),
  }));
}

function stateOf(side: Side): FileState {
  if (side === undefined || side === null) return { kind: 'absent' };
  if (side === '/') return { kind: 'folder' };
  if (side.startsWith('->')) return { kind: 'link', target: side.slice(2) };
  return { kind: 'file', content: Buffer.from(side) };
}
