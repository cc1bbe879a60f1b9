/**
 * Sets one value in a file of settings. Everything else in the file stays as it is, byte by byte; that only this value has
 * changed is checked before anything is written, and so is whether it may be set to that.
 */
import { chmodSync, statSync } from 'node:fs';
import path from 'node:path';

import { ConfigError, messageOf } from '../core/errors.js';
import type { JsonObject } from '../core/json-object.js';
import { keyText, parseKey } from '../toml/key.js';
import { scanToml } from '../toml/scan-toml.js';
import { setTomlValue } from '../toml/set-value.js';
import { problemsOf, unknownIn } from './check-layers.js';
import { layerOf, whereIn } from './layer.js';
import type { Layer } from './layer.js';
import { withoutOldTables } from './old-tables.js';
import { existingPath } from './project.js';
import { isSameValue, withValue } from './raw-table.js';
import { tomlValue } from './read-override.js';
import { parseToml, readToml } from './read-toml.js';

export type SettingToSave = {
  readonly file: string;
  readonly kind: 'user' | 'project';
  /** Dotted; names with dots of their own are quoted. */
  readonly key: string;
  /** TOML, or a plain string if it is not. */
  readonly value: string;
};

export type SavedSetting = {
  /** The file, with the line and column of the value. */
  readonly where: string;
  readonly key: readonly string[];
  /** False when it was so before. */
  readonly changed: boolean;
};

/** Throws a `ConfigError`, and then nothing was written. */
export async function saveSetting(setting: SettingToSave): Promise<SavedSetting> {
  const { file } = setting;
  const key = parseKey(setting.key);
  if (!key) throw new ConfigError(`\`${setting.key}\` is no name of a setting; write it as in features.undo`);
  // Before the lock, so that what is refused leaves nothing behind.
  await plan(setting, key);
  // Hardly a command changes a file of settings.
  const { withFileLock } = await import('../store/with-file-lock.js');
  try {
    return await withFileLock(file, async () => {
      const { text, ...saved } = await plan(setting, key);
      if (saved.changed) await write(file, text, setting.kind);
      return saved;
    });
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`${file} cannot be changed: ${messageOf(error)}`, { cause: error });
  }
}

type Plan = SavedSetting & { readonly text: string };

async function plan({ file, kind, value }: SettingToSave, key: readonly string[]): Promise<Plan> {
  if (kind === 'project') refuseForeign(file);
  const before = await readToml(file);
  const { literal, meaning } = await readLiteral(value);
  const text = setTomlValue(before.text, key, literal);
  const raw = await onlyThatChanged(text, withValue(before.raw, key, meaning), { file, key });
  const layer = layerOf(kind, file, { text, raw });
  refuseWrong(layer, layerOf(kind, file, before), key);
  return { where: whereIn(layer, key, 'value'), key, changed: text !== before.text, text };
}

/** A link that a project brings along may lead anywhere. */
function refuseForeign(file: string): void {
  const root = existingPath(path.dirname(path.dirname(file)));
  const outside = [path.dirname(file), file]
    .map(existingPath)
    .find((real) => real !== undefined && root !== undefined && !real.startsWith(path.join(root, path.sep)));
  if (outside !== undefined)
    throw new ConfigError(`${file} leads out of the project, to ${outside}; it is not changed`);
}

/** As it was typed if that is TOML, else as a text. */
async function readLiteral(typed: string): Promise<{ readonly literal: string; readonly meaning: unknown }> {
  const { stringify } = await import('smol-toml');
  const meaning = await tomlValue(typed);
  const isText = typeof meaning === 'string' && meaning === typed;
  const line = isText ? stringify({ value: meaning }) : `value = ${typed}`;
  // Without a comment that may stand behind it.
  const [entry] = scanToml(line)[0]?.entries ?? [];
  return { literal: line.slice(entry?.value.start, entry?.value.end), meaning };
}

async function onlyThatChanged(
  text: string,
  wanted: unknown,
  { file, key }: { readonly file: string; readonly key: readonly string[] },
): Promise<JsonObject> {
  const raw = await parseToml(text, file).catch(() => undefined);
  if (raw !== undefined && isSameValue(raw, wanted)) return raw;
  throw new ConfigError(
    `${keyText(key)} was not set: that would change something else in ${file}; set the keys of a table one by one, or edit the file`,
  );
}

/** What was wrong before is not held against this value. */
function refuseWrong(after: Layer, before: Layer, key: readonly string[]): void {
  const known = new Set(wrongIn(before));
  const problem = wrongIn(after).find((each) => !known.has(each));
  if (problem !== undefined) throw new ConfigError(`${keyText(key)} was not set: ${problem}`);
}

function wrongIn(layer: Layer): readonly string[] {
  const own = withoutOldTables(layer, () => {});
  const isForeign = own.kind === 'project' && own.raw['projects'] !== undefined;
  return [
    ...(isForeign ? ['a project cannot say which folders are trusted; `tenon trust` does'] : []),
    ...[...unknownIn(own), ...problemsOf([own])].map(({ message }) => message),
  ];
}

/** A file of the user's is private; a project's is as its other files are. */
async function write(file: string, text: string, kind: SettingToSave['kind']): Promise<void> {
  const { replaceFile } = await import('../store/replace-file.js');
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  await replaceFile(file, text);
  if (mode !== undefined) chmodSync(file, mode);
  else if (kind === 'project') chmodSync(file, 0o644);
}
