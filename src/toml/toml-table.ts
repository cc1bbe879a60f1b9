/** A TOML file as it is written: its tables, keys and values with their places. */

export type Span = { readonly start: number; readonly end: number };

/** From the top of the file; a number counts what is in a list. */
export type TomlPath = readonly (string | number)[];

export type TomlEntry = {
  readonly path: TomlPath;
  /** Of a member of a list, where it begins. */
  readonly key: Span;
  readonly value: Span;
  readonly kind: 'table' | 'list' | 'plain';
  /** What an inline table or a list holds. */
  readonly inner: readonly TomlEntry[];
};

export type TomlTable = {
  readonly path: TomlPath;
  /** Whether it is written `[[name]]`. */
  readonly isListed: boolean;
  readonly header: Span;
  readonly entries: readonly TomlEntry[];
};

/** With what is inside of inline tables and lists; each stands before what it holds. */
export function allEntries(tables: readonly TomlTable[]): readonly TomlEntry[] {
  return tables.flatMap(({ entries }) => entries.flatMap(withInner));
}

export function isSamePath(a: TomlPath, b: TomlPath): boolean {
  return a.length === b.length && isPrefix(a, b);
}

export function isPrefix(prefix: TomlPath, path: TomlPath): boolean {
  return prefix.length <= path.length && prefix.every((step, index) => step === path[index]);
}

function withInner(entry: TomlEntry): readonly TomlEntry[] {
  return [entry, ...entry.inner.flatMap(withInner)];
}
