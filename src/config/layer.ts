/** One source of settings: what it says, and where it says so. */
import type { JsonObject } from '../core/json-object.js';
import { findPlace } from '../toml/find-place.js';
import { lineIndex } from '../toml/line-index.js';
import type { Position } from '../toml/line-index.js';
import { scanToml } from '../toml/scan-toml.js';
import { readToml } from './read-toml.js';
import type { TomlFile } from './read-toml.js';

/** From the lowest to the highest. */
export type LayerKind = 'user' | 'project' | 'profile' | 'flag';

export type Layer = {
  readonly kind: LayerKind;
  /** A file, or a flag as it was typed. */
  readonly name: string;
  /** Of a profile. */
  readonly profile?: string;
  readonly raw: JsonObject;
  /** Of a name or a value, or what comes nearest to it. A flag has no places. */
  readonly place: (path: readonly PropertyKey[], part: 'key' | 'value') => Position | undefined;
};

/** One that is not there says nothing. */
export async function fileLayer(kind: LayerKind, file: string): Promise<Layer> {
  return layerOf(kind, file, await readToml(file));
}

export function layerOf(kind: LayerKind, file: string, { text, raw }: TomlFile): Layer {
  // Hardly ever asked for.
  let scanned:
    | { readonly tables: ReturnType<typeof scanToml>; readonly position: ReturnType<typeof lineIndex> }
    | undefined;
  return {
    kind,
    name: file,
    raw,
    place(path, part) {
      scanned ??= { tables: scanToml(text), position: lineIndex(text) };
      const found = findPlace(scanned.tables, path.map(step));
      const span = part === 'value' ? (found?.value ?? found?.key) : found?.key;
      return span && scanned.position(span.start);
    },
  };
}

/** For people: the file with line and column, or the flag. */
export function whereIn({ name, place }: Layer, path: readonly PropertyKey[], part: 'key' | 'value'): string {
  const position = place(path, part);
  return position ? `${name}:${position.line}:${position.column}` : name;
}

function step(key: PropertyKey): string | number {
  return typeof key === 'number' ? key : String(key);
}
