/** Reads the user's configuration: `config.toml` in the home folder, then single values from the command line. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { safeParse } from 'zod/mini';

import { describeIssue } from '../core/argument-words.js';
import { ConfigError, messageOf } from '../core/errors.js';
import { nearest } from '../core/nearest.js';
import { isJsonObject } from '../core/json-object.js';
import type { JsonObject } from '../core/json-object.js';
import { CONFIG_KEYS, configSchema } from './config-schema.js';
import type { Config } from './config-schema.js';

export type ConfigSource = {
  /** The folder that holds `config.toml`. */
  readonly home: string;
  /** `key=value` or `table.key=value`; the value is TOML, or a plain string if it is not. */
  readonly overrides?: readonly string[];
  /** Hears of what was ignored, such as an unknown key. */
  readonly onWarning?: (message: string) => void;
};

/** Throws a `ConfigError` that names the file or flag and the key. */
export async function loadConfig({ home, overrides = [], onWarning }: ConfigSource): Promise<Config> {
  const file = path.join(home, 'config.toml');
  const layers: Layer[] = [{ origin: file, raw: await readToml(file) }];
  for (const override of overrides) layers.push({ origin: `-c ${override}`, raw: await readOverride(override) });
  for (const layer of layers) warnOfUnknown(layer, onWarning);
  const merged = layers.map((layer) => layer.raw).reduce(merge, {});
  const parsed = safeParse(configSchema, merged);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ConfigError(
    issue ? `${originOf(issue.path, layers)}: ${describeIssue(issue, merged)}` : 'the configuration does not fit',
  );
}

type Layer = { readonly origin: string; readonly raw: JsonObject };

function warnOfUnknown({ origin, raw }: Layer, onWarning: ConfigSource['onWarning']): void {
  for (const [table, known] of Object.entries(CONFIG_KEYS)) {
    const values = table === '' ? raw : raw[table];
    if (!isJsonObject(values)) continue;
    for (const key of Object.keys(values).filter((each) => !known.includes(each))) {
      const guess = nearest(key, known);
      const name = table === '' ? key : `${table}.${key}`;
      onWarning?.(
        `${origin}: unknown key \`${name}\` is ignored${guess === undefined ? '' : `; did you mean \`${guess}\`?`}`,
      );
    }
  }
}

/** The last layer that says something about the place where the error is. */
function originOf(place: readonly PropertyKey[], layers: readonly Layer[]): string {
  return layers.findLast(({ raw }) => holds(raw, place))?.origin ?? layers[0]?.origin ?? '';
}

function holds(value: unknown, [key, ...deeper]: readonly PropertyKey[]): boolean {
  if (key === undefined || !isJsonObject(value)) return true;
  return Object.hasOwn(value, key) && holds(value[String(key)], deeper);
}

async function readToml(file: string): Promise<JsonObject> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new ConfigError(`${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  const { parse } = await import('smol-toml');
  try {
    return parse(text);
  } catch (error) {
    throw new ConfigError(`${file}${placeOf(error)} is not valid TOML: ${firstLine(messageOf(error))}`, {
      cause: error,
    });
  }
}

function placeOf(error: unknown): string {
  const { line, column } = error as { line?: number; column?: number };
  return line === undefined || column === undefined ? '' : `:${line}:${column}`;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

async function readOverride(override: string): Promise<JsonObject> {
  const split = override.indexOf('=');
  const keys = override.slice(0, Math.max(0, split)).trim().split('.');
  if (split === -1 || keys.some((key) => key === '')) {
    throw new ConfigError(`-c ${override}: write it as key=value, for example -c sandbox_mode=read-only`);
  }
  const value = await tomlValue(override.slice(split + 1).trim());
  return keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as JsonObject;
}

async function tomlValue(text: string): Promise<unknown> {
  const { parse } = await import('smol-toml');
  try {
    return parse(`value = ${text}`)['value'];
  } catch {
    return text;
  }
}

/** Tables are merged, everything else is replaced. */
function merge(lower: JsonObject, upper: JsonObject): JsonObject {
  const merged = Object.entries(upper).map(([key, value]) => {
    const below = Object.hasOwn(lower, key) ? lower[key] : undefined;
    return [key, isJsonObject(value) && isJsonObject(below) ? merge(below, value) : value] as const;
  });
  return { ...lower, ...Object.fromEntries(merged) };
}
