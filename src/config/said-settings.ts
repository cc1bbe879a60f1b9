/** What the command line said, setting by setting, for whoever writes it down: values that may be secrets are left out. */
import { keyText } from '../toml/key.js';
import { layerOfValue } from './check-layers.js';
import type { Config } from './config-schema.js';
import type { Layer } from './layer.js';
import { leavesOf } from './raw-table.js';
import { holdsSecret } from './secret-keys.js';

export type SaidSetting = {
  /** As it would be written at the top of a file. */
  readonly key: string;
  /** As it was typed. */
  readonly flag: string;
  /** Absent when it may be a secret, or when a part of it may be one. */
  readonly value?: unknown;
};

/** `config` is what the layers come to: only what counts there was said. */
export function saidSettings(layers: readonly Layer[], config: Config): readonly SaidSetting[] {
  if (!layers.some(({ kind }) => kind === 'flag')) return [];
  return leavesOf(config).flatMap(({ path, value }) => {
    const layer = layerOfValue(layers, path);
    if (layer?.kind !== 'flag') return [];
    const said = { key: keyText(path), flag: layer.name };
    return holdsSecret(value, path) ? said : Object.assign(said, { value });
  });
}
