/** Everything that is wrong with a configuration, not only the first of it. */
import { ConfigError } from '../core/errors.js';
import { combineLayers, problemText, problemsOf } from './check-layers.js';
import type { Layer } from './layer.js';
import { unknownInAll } from './load-config.js';
import { modelSettings } from './model-settings.js';
import { readLayers } from './read-layers.js';
import type { ConfigSource } from './read-layers.js';
import { runtimeOptions } from './runtime-options.js';

export type ConfigReport = {
  /** The files and flags that say something, from the lowest to the highest. */
  readonly sources: readonly string[];
  /** Each with its place. Keys that nobody knows are among them. */
  readonly problems: readonly string[];
};

/** Never throws for what the configuration says. */
export async function checkConfig(source: ConfigSource): Promise<ConfigReport> {
  try {
    const { layers } = await readLayers(source);
    const speaking = layers.filter(({ raw }) => Object.keys(raw).length > 0);
    const unfit = [...problemsOf(layers), ...unknownInAll(layers)].map(problemText);
    return {
      sources: [...new Set(speaking.map(({ name }) => name))],
      problems: unfit.length > 0 ? unfit : contradictionsIn(layers),
    };
  } catch (error) {
    return { sources: [], problems: [messageIn(error)] };
  }
}

/** What fits by itself may not fit together. */
function contradictionsIn(layers: readonly Layer[]): readonly string[] {
  const config = combineLayers(layers);
  return [() => runtimeOptions(config), () => modelSettings(config)].flatMap((use) => {
    try {
      use();
      return [];
    } catch (error) {
      return [messageIn(error)];
    }
  });
}

function messageIn(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  throw error;
}
