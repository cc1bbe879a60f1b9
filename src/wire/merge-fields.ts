/**
 * Fields that come in pieces, put together again. Which of them are texts that grow is known for what models think and say;
 * of anything else the last word counts. Entries of a list belong together when they say that they have one place.
 */
import { isJsonObject } from '../core/json-object.js';
import type { JsonObject } from '../core/json-object.js';

const DEEPEST = 8;

export function mergeFields(pieces: readonly JsonObject[], depth = 0): JsonObject {
  const values = new Map<string, unknown[]>();
  for (const piece of pieces) {
    for (const [key, value] of Object.entries(piece)) {
      if (value === null) continue;
      const known = values.get(key);
      if (known === undefined) values.set(key, [value]);
      else known.push(value);
    }
  }
  return Object.fromEntries([...values].map(([key, all]) => [key, mergeValues(key, all, depth)]));
}

const GROWING = /^(reasoning|thinking|thought|content|text|summary|data|refusal|transcript)/;

function mergeValues(key: string, values: readonly unknown[], depth: number): unknown {
  if (values.length === 1 || depth > DEEPEST) return values.at(-1);
  if (values.every((value) => typeof value === 'string')) return GROWING.test(key) ? values.join('') : values.at(-1);
  if (values.every((value) => Array.isArray(value))) return mergeEntries(values.flat(), depth);
  return values.every(isJsonObject) ? mergeFields(values, depth + 1) : values.at(-1);
}

function mergeEntries(entries: readonly unknown[], depth: number): readonly unknown[] {
  const places: unknown[][] = [];
  for (const entry of entries) {
    const last = places.at(-1);
    if (last !== undefined && samePlace(last[0], entry)) last.push(entry);
    else places.push([entry]);
  }
  return places.map((same) => (same.length > 1 ? mergeFields(same.filter(isJsonObject), depth + 1) : same[0]));
}

function samePlace(one: unknown, other: unknown): boolean {
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  return typeof one['index'] === 'number' && one['index'] === other['index'] && one['type'] === other['type'];
}
