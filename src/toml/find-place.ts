/** Where a value stands in a file, or what comes nearest to it. */
import { allEntries, isPrefix, isSamePath } from './toml-table.js';
import type { Span, TomlPath, TomlTable } from './toml-table.js';

export type Place = {
  /** Its name. */
  readonly key: Span;
  /** Absent for a table that has a header. */
  readonly value?: Span;
};

/** The entry or table of that name, else the first thing below it, else what it would stand in. */
export function findPlace(tables: readonly TomlTable[], path: TomlPath): Place | undefined {
  if (path.length === 0) return undefined;
  const entries = allEntries(tables);
  const entry = entries.find((each) => isSamePath(each.path, path));
  if (entry) return entry;
  const table = tables.find((each) => isSamePath(each.path, path)) ?? tables.find((each) => isPrefix(path, each.path));
  if (table) return { key: table.header };
  const below = entries.find((each) => isPrefix(path, each.path));
  return below ? { key: below.key } : findPlace(tables, path.slice(0, -1));
}
