/** Single settings from the command line: `-c key=value`, and flags that are other names for a key. */
import { ConfigError } from '../core/errors.js';
import type { JsonObject } from '../core/json-object.js';
import { keyText, parseKey } from '../toml/key.js';
import type { Layer } from './layer.js';
import { isTable, withValue } from './raw-table.js';
import { withoutSecrets } from './secret-keys.js';

/** `key=value`, where the value is TOML, or a plain string if it is not; or a flag of its own with its value. */
export type Override =
  | string
  | {
      /** Dotted, such as `features.undo`. */
      readonly key: string;
      readonly value: unknown;
      /** As the user typed it: `--sandbox read-only`. */
      readonly label: string;
    };

/** Throws a `ConfigError` for what cannot be read. */
export async function overrideLayer(override: Override): Promise<Layer> {
  const { key, value, label } = typeof override === 'string' ? await readText(override) : override;
  const path = parseKey(key);
  if (!path) throw new ConfigError(`${label}: \`${key}\` is no name of a setting`);
  return { kind: 'flag', name: label, raw: withValue({}, path, value) as JsonObject, place: () => undefined };
}

async function readText(override: string): Promise<Exclude<Override, string>> {
  const [whole = '', key = ''] = BEFORE_VALUE.exec(override) ?? [];
  const path = parseKey(key);
  if (!path)
    throw new ConfigError(`-c ${named(override)}: write it as key=value, for example -c sandbox_mode=read-only`);
  const text = override.slice(whole.length).trim();
  const value = await tomlValue(text);
  const shown = isTable(value) ? '{…}' : withoutSecrets(text, path);
  return { key, value, label: `-c ${keyText(path)}=${String(shown)}` };
}

/** What may be a secret is not repeated. */
function named(override: string): string {
  const [name = '', ...value] = override.split('=');
  return value.length === 0 ? name : `${name}=…`;
}

/** An equals sign may be part of a quoted name. */
const BEFORE_VALUE = /^((?:"(?:\\.|[^"\\])*"|'[^']*'|[^="'])+)=/;

/** What a text means as a value: TOML, or just itself. */
export async function tomlValue(text: string): Promise<unknown> {
  const { parse } = await import('smol-toml');
  try {
    const { value, ...more } = parse(`value = ${text}`);
    // Behind a line break it could say anything.
    return Object.keys(more).length === 0 ? value : text;
  } catch {
    return text;
  }
}
