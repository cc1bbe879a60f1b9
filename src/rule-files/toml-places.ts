/** On which lines the tables and keys of a file of rules stand. The file must be valid TOML. */
import { lineIndex } from '../toml/line-index.js';
import { scanToml } from '../toml/scan-toml.js';
import type { TomlTable } from '../toml/toml-table.js';

export type TablePlace = {
  readonly name: string;
  /** Whether it is written `[[name]]`. */
  readonly isListed: boolean;
  readonly line: number;
  /** The line of each of its keys. */
  readonly keys: ReadonlyMap<string, number>;
};

/** In order; the first stands for what is above all tables and has no name. */
export function tablePlaces(toml: string): readonly TablePlace[] {
  const positionOf = lineIndex(toml);
  const lineOf = (offset: number): number => positionOf(offset).line;
  return scanToml(toml).map((table) => ({
    name: String(table.path[0] ?? ''),
    isListed: table.isListed,
    line: lineOf(table.header.start),
    keys: keysOf(table, lineOf),
  }));
}

function keysOf({ path, entries }: TomlTable, lineOf: (offset: number) => number): ReadonlyMap<string, number> {
  return new Map(entries.map((entry) => [String(entry.path[path.length]), lineOf(entry.key.start)]));
}
