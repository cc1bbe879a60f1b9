/** Names that are not valid UTF-8 can be walked through as bytes, but no text can name what is found behind them. */
import { readdirSync } from 'node:fs';
import type { Dirent } from 'node:fs';

type Bounds = {
  readonly isProtected: (name: string) => boolean;
  readonly maxDepth: number;
  readonly maxEntries: number;
};

/** Whether something protected lies behind an odd name in this folder. What is too much to look at counts as that. */
export function holdsUnnameable(folder: string, bounds: Bounds): boolean {
  const start = Buffer.from(folder);
  const odd = entriesOf(start).filter((entry) => entry.isDirectory() && !isExact(entry.name));
  let level = odd.map(({ name }) => join(start, name));
  let seen = 0;
  for (let depth = 1; level.length > 0 && depth <= bounds.maxDepth; depth += 1) {
    const entries = level.flatMap((above) => entriesOf(above).map((entry) => ({ entry, above })));
    seen += entries.length;
    if (seen > bounds.maxEntries) return true;
    if (entries.some(({ entry }) => bounds.isProtected(entry.name.toString()))) return true;
    level = entries.flatMap(({ entry, above }) => (entry.isDirectory() ? [join(above, entry.name)] : []));
  }
  return false;
}

function isExact(name: Buffer): boolean {
  return Buffer.from(name.toString()).equals(name);
}

function join(folder: Buffer, name: Buffer): Buffer {
  return Buffer.concat([folder, Buffer.from('/'), name]);
}

function entriesOf(folder: Buffer): readonly Dirent<Buffer>[] {
  try {
    return readdirSync(folder, { withFileTypes: true, encoding: 'buffer' });
  } catch {
    return [];
  }
}
