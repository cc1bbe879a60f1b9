/** The server that a name of the configuration means: a preset, a table of the user's, or a preset refined by one. */
import { ConfigError } from '../core/errors.js';
import { nearest } from '../core/nearest.js';
import type { Provider } from '../core/provider.js';
import { defineProvider } from './define-provider.js';
import { PRESETS } from './presets.js';
import type { ProviderSettings } from './provider-schema.js';

export type ProviderQuestion = {
  readonly id: string;
  /** `model_providers` of the configuration. */
  readonly tables?: Readonly<Record<string, ProviderSettings>>;
  /** `openai_base_url` of the configuration. */
  readonly openaiBaseUrl?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** Throws a `ConfigError` for a name nobody has, and for settings that cannot be used. */
export function findProvider({ id, tables = {}, openaiBaseUrl, env }: ProviderQuestion): Provider {
  const table = Object.hasOwn(tables, id) ? tables[id] : undefined;
  const preset = Object.hasOwn(PRESETS, id) ? PRESETS[id] : undefined;
  if (table === undefined && preset === undefined) throw unknownProvider(id, Object.keys(tables));
  return defineProvider(id, table ?? {}, preset?.({ env, table: table ?? {}, openaiBaseUrl }));
}

function unknownProvider(id: string, tables: readonly string[]): ConfigError {
  const known = [...new Set([...Object.keys(PRESETS), ...tables])];
  const meant = nearest(id, known);
  const guess = meant === undefined ? '' : ` Did you mean ${JSON.stringify(meant)}?`;
  return new ConfigError(
    `model_provider ${JSON.stringify(id)} is not known.${guess} There are ${known.join(', ')}; ` +
      'others are described in a table [model_providers.NAME]',
  );
}
