/** The settings that hold, one by one, each with where it comes from. Secrets are left out of it. */
import { ConfigError } from '../core/errors.js';
import type { JsonObject } from '../core/json-object.js';
import { keyText, parseKey } from '../toml/key.js';
import { isPrefix } from '../toml/toml-table.js';
import { combineLayers, layerOfValue } from './check-layers.js';
import { CONFIG_KEYS } from './config-schema.js';
import { DEFAULT_SETTINGS } from './default-settings.js';
import type { Layer } from './layer.js';
import { loadLayers } from './load-config.js';
import { leavesOf, mergeTables, valueAt, withValue } from './raw-table.js';
import type { ConfigSource } from './read-layers.js';
import { withoutSecrets } from './secret-keys.js';
import { unknownKeys } from './unknown-keys.js';

export type Origin =
  | { readonly kind: 'default' }
  | { readonly kind: 'flag'; readonly flag: string }
  | {
      readonly kind: 'user' | 'project' | 'profile';
      readonly file: string;
      readonly line?: number;
      readonly column?: number;
      readonly profile?: string;
    };

export type ShownSetting = {
  /** As it would be written at the top of a file. */
  readonly key: string;
  readonly path: readonly string[];
  readonly value: unknown;
  readonly origin: Origin;
};

/**
 * In the order of the documentation; with `key`, only that one or those below it. Throws a `ConfigError` as `loadConfig`
 * does, and for a key that there is not.
 */
export async function shownSettings(source: ConfigSource, key?: string): Promise<readonly ShownSetting[]> {
  const path = key === undefined ? [] : knownKey(key);
  const { layers } = await loadLayers(source);
  return allSettings(layers).filter((setting) => isPrefix(path, setting.path));
}

function knownKey(key: string): readonly string[] {
  const path = parseKey(key);
  if (!path) throw new ConfigError(`\`${key}\` is no name of a setting; write it as in features.undo`);
  const [unknown] = unknownKeys(withValue({}, path, {}));
  if (unknown) throw new ConfigError(`there is no setting \`${keyText(unknown.path)}\`${unknown.hint}`);
  return path;
}

function allSettings(layers: readonly Layer[]): readonly ShownSetting[] {
  const config = combineLayers(layers);
  const all = mergeTables(DEFAULT_SETTINGS, config);
  return CONFIG_KEYS.filter((key) => Object.hasOwn(all, key))
    .flatMap((key) => leavesOf(all[key], [key]))
    .map(({ path, value }) => ({
      key: keyText(path),
      path,
      value: withoutSecrets(value, path),
      origin: originOf(path, layers, config),
    }));
}

function originOf(path: readonly string[], layers: readonly Layer[], config: JsonObject): Origin {
  const layer = valueAt(config, path) === undefined ? undefined : layerOfValue(layers, path);
  if (!layer) return { kind: 'default' };
  if (layer.kind === 'flag') return { kind: 'flag', flag: layer.name };
  const { kind, name: file, profile } = layer;
  return { kind, file, ...layer.place(path, 'value'), ...(profile !== undefined && { profile }) };
}
