/** Everything that is wrong with a configuration, not only the first of it. */
import { ConfigError } from '../core/errors.js';
import { findProvider } from '../model/find-provider.js';
import { combineLayers, placeOf, problemText, problemsOf } from './check-layers.js';
import type { Config } from './config-schema.js';
import type { Layer } from './layer.js';
import { unknownInAll } from './load-config.js';
import { DEFAULT_PROVIDER, modelSettings } from './model-settings.js';
import { readLayers } from './read-layers.js';
import type { ConfigSource } from './read-layers.js';
import { runtimeOptions } from './runtime-options.js';

export type ConfigReport = {
  /** The files and flags that say something, from the lowest to the highest. */
  readonly sources: readonly string[];
  /** Each with its place. Keys that nobody knows are among them. */
  readonly problems: readonly string[];
};

type Environment = Readonly<Record<string, string | undefined>>;

/** Never throws for what the configuration says. `env`: where servers are looked up, by default this process's own. */
export async function checkConfig(source: ConfigSource, env: Environment = process.env): Promise<ConfigReport> {
  try {
    const { layers } = await readLayers(source);
    const speaking = layers.filter(({ raw }) => Object.keys(raw).length > 0);
    const unfit = [...problemsOf(layers), ...unknownInAll(layers)].map(problemText);
    return {
      sources: [...new Set(speaking.map(({ name }) => name))],
      problems: unfit.length > 0 ? unfit : contradictionsIn(layers, env),
    };
  } catch (error) {
    return { sources: [], problems: [messageIn(error)] };
  }
}

/** What fits by itself may not fit together. */
function contradictionsIn(layers: readonly Layer[], env: Environment): readonly string[] {
  const config = combineLayers(layers);
  const uses: readonly Use[] = [
    { path: ['approval_policy'], use: () => runtimeOptions(config) },
    { path: ['limits', 'cost_usd'], use: () => modelSettings(config) },
    ...serversIn(config, env),
  ];
  return uses.flatMap(({ path, use }) => {
    try {
      use();
      return [];
    } catch (error) {
      return [problemText({ ...placeOf(layers, path), path, message: messageIn(error) })];
    }
  });
}

/** What is tried with a configuration, and the key that is to blame if it fails. */
type Use = { readonly path: readonly string[]; readonly use: () => unknown };

/** Every server that is described, and the one that was chosen. Nobody is asked for a key. */
function serversIn(config: Config, env: Environment): readonly Use[] {
  const { model_providers: tables = {}, openai_base_url: openaiBaseUrl, model_provider: chosen } = config;
  const find = (id: string): unknown => findProvider({ id, tables, openaiBaseUrl, env });
  const described = Object.keys(tables).map((id) => ({ path: ['model_providers', id], use: () => find(id) }));
  const id = chosen ?? DEFAULT_PROVIDER;
  if (Object.hasOwn(tables, id)) return described;
  return [{ path: ['model_provider'], use: () => find(id) }, ...described];
}

function messageIn(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  throw error;
}
