/**
 * Descriptors of this process that its children must not get. Node closes what it opens by itself when a program is
 * started, but a terminal opened by native code stays open in every child, which could then type into it. In their place
 * children find `/dev/null`. This is known to the whole process, because its descriptors are.
 */
import type { StdioNull, StdioPipe } from 'node:child_process';
import fs from 'node:fs';

type Entry = StdioNull | StdioPipe | number;

/** How often each number is sealed: one that was closed may be given out again before its seal is lifted. */
const seals = new Map<number, number>();
let nothing: number | undefined;

/** From now on no child gets it; the returned function is called when it has been closed. */
export function sealDescriptor(descriptor: number): () => void {
  seals.set(descriptor, sealsOn(descriptor) + 1);
  return () => {
    const left = sealsOn(descriptor) - 1;
    if (left > 0) seals.set(descriptor, left);
    else seals.delete(descriptor);
  };
}

/** What a child gets, completed so that nothing sealed is among it. */
export function sealedStdio(entries: readonly Entry[]): Entry[] {
  const last = Math.max(entries.length - 1, ...seals.keys());
  return Array.from({ length: last + 1 }, (_, descriptor) => entries[descriptor] ?? coverFor(descriptor));
}

function coverFor(descriptor: number): Entry {
  return seals.has(descriptor) ? (nothing ??= fs.openSync('/dev/null', 'r+')) : 'ignore';
}

function sealsOn(descriptor: number): number {
  return seals.get(descriptor) ?? 0;
}
