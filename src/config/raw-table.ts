/** Settings as they come from a file or a flag, before anybody has checked them. */
import { isJsonObject } from '../core/json-object.js';
import type { JsonObject } from '../core/json-object.js';

/** A date is an object to the parser. */
export function isTable(value: unknown): value is JsonObject {
  return isJsonObject(value) && !(value instanceof Date);
}

/** Undefined where there is nothing. */
export function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (hasOwn(value, key) ? value[String(key)] : undefined), raw);
}

/** A value that is no table, and where it stands. */
export type Leaf = { readonly path: readonly string[]; readonly value: unknown };

export function leavesOf(value: unknown, path: readonly string[] = []): readonly Leaf[] {
  if (!isTable(value)) return [{ path, value }];
  return Object.entries(value).flatMap(([name, each]) => leavesOf(each, [...path, name]));
}

/** What is on the way is made a table if it is none. */
export function withValue(raw: unknown, [key, ...deeper]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  const table = isTable(raw) ? raw : {};
  return { ...table, [key]: withValue(hasOwn(table, key) ? table[key] : undefined, deeper, value) };
}

/** A table that has nothing else goes with it. */
export function withoutValue(raw: JsonObject, [key, ...deeper]: readonly string[]): JsonObject {
  if (key === undefined || !Object.hasOwn(raw, key)) return raw;
  const { [key]: value, ...others } = raw;
  if (deeper.length === 0 || !isTable(value)) return others;
  const rest = withoutValue(value, deeper);
  return Object.keys(rest).length === 0 ? others : { ...others, [key]: rest };
}

/** Tables are merged, everything else is replaced. */
export function mergeTables(lower: JsonObject, upper: JsonObject): JsonObject {
  const merged = Object.entries(upper).map(([key, value]) => {
    const below = Object.hasOwn(lower, key) ? lower[key] : undefined;
    return [key, isTable(value) && isTable(below) ? mergeTables(below, value) : value] as const;
  });
  return { ...lower, ...Object.fromEntries(merged) };
}

/** Whoever made the tables: the parser's have no prototype. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((each, index) => isSameValue(each, other[index]));
  if (one instanceof Date && other instanceof Date) return one.toISOString() === other.toISOString();
  if (!isTable(one) || !isTable(other)) return Object.is(one, other);
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSameValue(one[name], other[name]))
  );
}

function hasOwn(value: unknown, key: PropertyKey): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key);
}
