/**
 * Reads the configuration: `config.toml` in the home folder, then that of the project if its folder is trusted, then
 * single values from the command line.
 */
import path from 'node:path';
import { safeParse } from 'zod/mini';

import { describeIssue } from '../core/argument-words.js';
import { ConfigError } from '../core/errors.js';
import { nearest } from '../core/nearest.js';
import { isJsonObject } from '../core/json-object.js';
import type { JsonObject } from '../core/json-object.js';
import { CONFIG_KEYS, configSchema } from './config-schema.js';
import type { Config } from './config-schema.js';
import { findProject } from './project.js';
import type { Project } from './project.js';
import { readToml } from './read-toml.js';
import { isTrusted } from './trust.js';

export type ConfigSource = {
  /** The folder that holds `config.toml`. */
  readonly home: string;
  /** Where the work is done: the settings of the project there count too. Without it, no project is looked for. */
  readonly cwd?: string;
  /** `key=value` or `table.key=value`; the value is TOML, or a plain string if it is not. */
  readonly overrides?: readonly string[];
  /** Hears of what was ignored, such as an unknown key. */
  readonly onWarning?: (message: string) => void;
};

export type Settings = {
  readonly config: Config;
  readonly project: Project & { readonly trusted: boolean };
};

/** Throws a `ConfigError` that names the file or flag and the key. */
export async function loadConfig({ cwd, ...source }: ConfigSource): Promise<Config> {
  if (cwd !== undefined) return (await loadSettings({ ...source, cwd })).config;
  return combine([await userLayer(source), ...(await overrideLayers(source))], source);
}

/** The configuration, and the project it was made for. Throws as `loadConfig` does. */
export async function loadSettings(source: ConfigSource & { readonly cwd: string }): Promise<Settings> {
  const user = await userLayer(source);
  const found = findProject(source.cwd, source.home);
  const project = { ...found, trusted: isTrusted(source.home, found.root, projectsOf(user)) };
  const layers = [user, ...(await projectLayers(project, source)), ...(await overrideLayers(source))];
  return { config: combine(layers, source), project };
}

type Layer = { readonly origin: string; readonly raw: JsonObject };

async function userLayer({ home }: ConfigSource): Promise<Layer> {
  const file = path.join(home, 'config.toml');
  return { origin: file, raw: await readToml(file) };
}

/** Looked at before the other layers are there, so that none of them can have a say in it. */
function projectsOf({ origin, raw }: Layer): Config['projects'] {
  return check([{ origin, raw: { projects: raw['projects'] } }]).projects;
}

/** A file that is not trusted is not even opened. */
async function projectLayers({ root, own, trusted }: Settings['project'], source: ConfigSource): Promise<Layer[]> {
  if (own.length === 0) return [];
  if (!trusted) {
    source.onWarning?.(
      `this project's own settings are not used, because the folder is not trusted: ${own.join(', ')} (in ${root}). \`tenon trust\` allows them.`,
    );
    return [];
  }
  const file = path.join(root, '.tenon', 'config.toml');
  return [withoutProjects({ origin: file, raw: await readToml(file) }, source)];
}

async function overrideLayers(source: ConfigSource): Promise<Layer[]> {
  const layers: Layer[] = [];
  for (const override of source.overrides ?? [])
    layers.push(withoutProjects({ origin: `-c ${override}`, raw: await readOverride(override) }, source));
  return layers;
}

/** Trust is the user's to give: neither a project nor whoever writes a command line may help themselves to it. */
function withoutProjects({ origin, raw }: Layer, { home, onWarning }: ConfigSource): Layer {
  const { projects, ...others } = raw;
  if (projects !== undefined)
    onWarning?.(
      `${origin}: \`projects\` is ignored; only ${path.join(home, 'config.toml')} and \`tenon trust\` say which folders are trusted`,
    );
  return { origin, raw: others };
}

function combine(layers: readonly Layer[], { onWarning }: ConfigSource): Config {
  for (const layer of layers) warnOfUnknown(layer, onWarning);
  return check(layers);
}

function check(layers: readonly Layer[]): Config {
  const merged = layers.map((layer) => layer.raw).reduce(merge, {});
  const parsed = safeParse(configSchema, merged);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ConfigError(
    issue ? `${originOf(issue.path, layers)}: ${describeIssue(issue, merged)}` : 'the configuration does not fit',
  );
}

function warnOfUnknown({ origin, raw }: Layer, onWarning: ConfigSource['onWarning']): void {
  for (const [table, known] of Object.entries(CONFIG_KEYS)) {
    const values = valuesIn(raw, table);
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

function valuesIn(raw: JsonObject, table: string): unknown {
  if (table === '') return raw;
  return table.split('.').reduce<unknown>((values, name) => (isJsonObject(values) ? values[name] : undefined), raw);
}

/** The last layer that says something about the place where the error is. */
function originOf(place: readonly PropertyKey[], layers: readonly Layer[]): string {
  return layers.findLast(({ raw }) => holds(raw, place))?.origin ?? layers[0]?.origin ?? '';
}

function holds(value: unknown, [key, ...deeper]: readonly PropertyKey[]): boolean {
  if (key === undefined || !isJsonObject(value)) return true;
  return Object.hasOwn(value, key) && holds(value[String(key)], deeper);
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
