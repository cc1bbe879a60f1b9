/** Several layers as one configuration, or what is wrong with it and where that stands. */
import { safeParse } from 'zod/mini';
import type { z } from 'zod/mini';

import { describeIssue } from '../core/argument-words.js';
import { ConfigError } from '../core/errors.js';
import type { JsonObject } from '../core/json-object.js';
import { HIDDEN } from '../core/secret-names.js';
import { keyText } from '../toml/key.js';
import { configSchema } from './config-schema.js';
import type { Config } from './config-schema.js';
import { whereIn } from './layer.js';
import type { Layer } from './layer.js';
import { isTable, mergeTables } from './raw-table.js';
import { isSecret, withoutSecrets } from './secret-keys.js';
import { unknownKeys } from './unknown-keys.js';

export type Problem = {
  /** The file with line and column, or the flag; absent where nothing says anything. */
  readonly where?: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
};

/** The later a layer, the more it counts. Throws a `ConfigError` that names the file or flag, the place and the key. */
export function combineLayers(layers: readonly Layer[]): Config {
  const merged = mergedLayers(layers);
  const parsed = checked(merged);
  if (parsed.success) return parsed.data;
  const [problem] = parsed.error.issues.map((issue) => toProblem(issue, layers, merged));
  throw new ConfigError(problem ? problemText(problem) : 'the configuration does not fit');
}

/** Everything that would stop a run. */
export function problemsOf(layers: readonly Layer[]): readonly Problem[] {
  const merged = mergedLayers(layers);
  const issues = checked(merged).error?.issues ?? [];
  return issues.map((issue) => toProblem(issue, layers, merged));
}

/** What nobody reads of a layer. `ending` says what becomes of it. */
export function unknownIn(layer: Layer, ending = ''): readonly Problem[] {
  return unknownKeys(layer.raw).map(({ path, hint }) => ({
    where: whereIn(layer, path, 'key'),
    path,
    message: `unknown key \`${keyText(path)}\`${ending}${hint}`,
  }));
}

export function problemText({ where, message }: Problem): string {
  return where === undefined ? message : `${where}: ${message}`;
}

/** The last layer that says something about a value. */
export function layerOfValue(layers: readonly Layer[], path: readonly PropertyKey[]): Layer | undefined {
  return layers.findLast(({ raw }) => holds(raw, path));
}

/** Only the keys that are set are looked at, because to make a schema takes longer than to use it. */
function checked(merged: JsonObject): z.core.util.SafeParseResult<Config> {
  const present = Object.keys(merged).filter((key) => merged[key] !== undefined);
  return safeParse(configSchema(present), merged);
}

function mergedLayers(layers: readonly Layer[]): JsonObject {
  return layers.map((layer) => layer.raw).reduce(mergeTables, {});
}

function toProblem(issue: z.core.$ZodIssue, layers: readonly Layer[], merged: JsonObject): Problem {
  const { path } = issue;
  const message = isSecret(path)
    ? `invalid value ${HIDDEN} at \`${keyText(path.map(String))}\`${expectation(issue)}`
    : describeIssue(issue, withoutSecrets(merged) as JsonObject);
  return { ...placeOf(layers, path), path, message };
}

/** What is known without the value. */
function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `: expected a ${issue.expected === 'record' ? 'table' : issue.expected}`;
  return '';
}

/** Where a value stands, or should. */
export function placeOf(layers: readonly Layer[], path: readonly PropertyKey[]): Pick<Problem, 'where'> {
  const layer = nearestLayer(layers, path);
  return layer ? { where: whereIn(layer, path, 'value') } : {};
}

/** What is missing is wrong where it should stand. */
function nearestLayer(layers: readonly Layer[], path: readonly PropertyKey[]): Layer | undefined {
  const layer = layerOfValue(layers, path);
  return layer ?? (path.length === 0 ? undefined : nearestLayer(layers, path.slice(0, -1)));
}

function holds(value: unknown, [key, ...deeper]: readonly PropertyKey[]): boolean {
  if (key === undefined || !isTable(value)) return true;
  return Object.hasOwn(value, key) && holds(value[String(key)], deeper);
}
