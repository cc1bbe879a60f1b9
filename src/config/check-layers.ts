/** Several layers as one configuration, or what is wrong with it and where that stands. */
import { safeParse } from 'zod/mini';
import type { z } from 'zod/mini';

import { describeIssue } from '../core/argument-words.js';
import { ConfigError } from '../core/errors.js';
import type { JsonObject } from '../core/json-object.js';
import { keyText } from '../toml/key.js';
import { configSchema } from './config-schema.js';
import type { Config } from './config-schema.js';
import { whereIn } from './layer.js';
import type { Layer } from './layer.js';
import { isTable, mergeTables } from './raw-table.js';
import { HIDDEN, isSecret } from './secret-keys.js';
import { unknownKeys } from './unknown-keys.js';

/** The later a layer, the more it counts. Throws a `ConfigError` that names the file or flag, the place and the key. */
export function combineLayers(layers: readonly Layer[]): Config {
  const merged = mergedLayers(layers);
  const parsed = safeParse(configSchema, merged);
  if (parsed.success) return parsed.data;
  const [problem = 'the configuration does not fit'] = parsed.error.issues.map((issue) =>
    describeProblem(issue, layers, merged),
  );
  throw new ConfigError(problem);
}

/** Everything that would stop a run. */
export function problemsOf(layers: readonly Layer[]): readonly string[] {
  const merged = mergedLayers(layers);
  const issues = safeParse(configSchema, merged).error?.issues ?? [];
  return issues.map((issue) => describeProblem(issue, layers, merged));
}

/** What is not read of a layer, each with its place. */
export function unknownIn(layer: Layer, ending = ''): readonly string[] {
  return unknownKeys(layer.raw).map(
    ({ path, hint }) => `${whereIn(layer, path, 'key')}: unknown key \`${keyText(path)}\`${ending}${hint}`,
  );
}

/** The last layer that says something about a value. */
export function layerOfValue(layers: readonly Layer[], path: readonly PropertyKey[]): Layer | undefined {
  return layers.findLast(({ raw }) => holds(raw, path));
}

function mergedLayers(layers: readonly Layer[]): JsonObject {
  return layers.map((layer) => layer.raw).reduce(mergeTables, {});
}

function describeProblem(issue: z.core.$ZodIssue, layers: readonly Layer[], merged: JsonObject): string {
  const layer = layerOfValue(layers, issue.path);
  const said = isSecret(issue.path)
    ? `invalid value ${HIDDEN} at \`${keyText(issue.path.map(String))}\``
    : describeIssue(issue, merged);
  return layer ? `${whereIn(layer, issue.path, 'value')}: ${said}` : said;
}

/** What is missing in a table is said to be wrong where the table is. */
function holds(value: unknown, [key, ...deeper]: readonly PropertyKey[]): boolean {
  if (key === undefined || !isTable(value)) return true;
  return Object.hasOwn(value, key) && holds(value[String(key)], deeper);
}
