/**
 * Reads the configuration: `config.toml` in the home folder, then that of the project if its folder is trusted, then a
 * profile, then single values from the command line. What comes later wins.
 */
import { ConfigError } from '../core/errors.js';
import { combineLayers, problemText, unknownIn } from './check-layers.js';
import type { Problem } from './check-layers.js';
import type { Config } from './config-schema.js';
import type { Layer } from './layer.js';
import { readLayers } from './read-layers.js';
import type { ConfigSource, Layers, TrustedProject } from './read-layers.js';
import { saidSettings } from './said-settings.js';
import type { SaidSetting } from './said-settings.js';

export type Settings = {
  readonly config: Config;
  /** The project that it was made for. */
  readonly project: TrustedProject;
  /** What the command line said of it. */
  readonly said: readonly SaidSetting[];
};

/** Throws a `ConfigError` that names the file with the place in it, or the flag, and the key. */
export async function loadConfig(source: ConfigSource): Promise<Config> {
  const { layers } = await loadLayers(source);
  return combineLayers(layers);
}

/** The configuration, and what it comes from. Throws as `loadConfig` does. */
export async function loadSettings(source: ConfigSource & { readonly cwd: string }): Promise<Settings> {
  const { layers, project = { root: source.cwd, own: [], trusted: false } } = await loadLayers(source);
  const config = combineLayers(layers);
  return { config, project, said: saidSettings(layers, config) };
}

/** What each source says by itself. Values that do not fit are for whoever combines them. */
export async function loadLayers(source: ConfigSource): Promise<Layers> {
  const loaded = await readLayers(source);
  const { strictConfig = false, onWarning } = source;
  const unknown = unknownInAll(loaded.layers, strictConfig ? '' : ' is ignored').map(problemText);
  if (strictConfig && unknown.length > 0) throw new ConfigError(unknown.join('\n'));
  for (const each of unknown) onWarning?.(each);
  return loaded;
}

/** The keys that nobody reads. A profile's table is looked through with the file it stands in. */
export function unknownInAll(layers: readonly Layer[], ending = ''): readonly Problem[] {
  const files = new Set(layers.filter(({ kind }) => kind !== 'profile').map(({ name }) => name));
  return layers
    .filter(({ kind, name }) => kind !== 'profile' || !files.has(name))
    .flatMap((layer) => unknownIn(layer, ending));
}
