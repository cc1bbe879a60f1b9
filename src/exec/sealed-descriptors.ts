/**
 * Descriptors of this process that its children must not get. Node closes what it opens by itself when a program is
 * started, but a terminal opened by native code stays open in every child, which could then type into it. In their place
 * children find `/dev/null`. This is known to the whole process, because its descriptors are.
 */
import type { StdioNull, StdioPipe } from 'node:child_process';
import fs from 'node:fs';

type Entry = StdioNull | StdioPipe | number;

const open = new Set<number>();
let nothing: number | undefined;

/** From now on no child gets it; the returned function is called when it has been closed. */
export function sealDescriptor(descriptor: number): () => void {
  open.add(descriptor);
  return () => void open.delete(descriptor);
}

/** What a child gets, completed so that nothing sealed is among it. */
export function sealedStdio(entries: readonly Entry[]): Entry[] {
  const last = Math.max(entries.length - 1, ...open);
  return Array.from({ length: last + 1 }, (_, descriptor) => entries[descriptor] ?? coverFor(descriptor));
}

function coverFor(descriptor: number): Entry {
  return open.has(descriptor) ? (nothing ??= fs.openSync('/dev/null', 'r+')) : 'ignore';
}
