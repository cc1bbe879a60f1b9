/**
 * Profiles: sets of settings that are chosen by name. One is a table `[profiles.NAME]` of `config.toml`, a file
 * `NAME.config.toml` beside it, or both; the file wins.
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';

import { ConfigError } from '../core/errors.js';
import { nearest } from '../core/nearest.js';
import { layerOfValue } from './check-layers.js';
import { fileLayer, whereIn } from './layer.js';
import type { Layer } from './layer.js';
import { isTable, valueAt } from './raw-table.js';

/** Which one was chosen last. */
export function chosenProfile(layers: readonly Layer[]): string | undefined {
  const name = layers.map(({ raw }) => raw['profile']).findLast((each) => each !== undefined);
  return typeof name === 'string' ? name : undefined;
}

/** Throws a `ConfigError` when there is no such profile. `layers` are all but those of profiles. */
export async function profileLayers(name: string, layers: readonly Layer[], home: string): Promise<readonly Layer[]> {
  const found = layers.flatMap((layer) => tableOf(layer, name));
  if (profileFiles(home).includes(name)) {
    const file = await fileLayer('profile', path.join(home, `${name}${SUFFIX}`));
    found.push({ ...file, profile: name });
  }
  if (found.length === 0) throw new ConfigError(noSuchProfile(name, layers, home));
  return found;
}

const SUFFIX = '.config.toml';

/** What a profile cannot say is told of with the rest of its file. */
function tableOf(layer: Layer, name: string): readonly Layer[] {
  const table = valueAt(layer.raw, ['profiles', name]);
  if (!isTable(table)) return [];
  const { profile: _profile, profiles: _profiles, projects: _projects, ...raw } = table;
  const place: Layer['place'] = (key, part) => layer.place(['profiles', name, ...key], part);
  return [{ ...layer, kind: 'profile', profile: name, raw, place }];
}

/** By what is really there, so that no name leads out of the folder. */
function profileFiles(home: string): readonly string[] {
  try {
    const names = readdirSync(home).filter((file) => file.endsWith(SUFFIX) && file !== SUFFIX);
    return names.map((file) => file.slice(0, -SUFFIX.length));
  } catch {
    return [];
  }
}

function noSuchProfile(name: string, layers: readonly Layer[], home: string): string {
  const layer = layerOfValue(layers, ['profile']);
  const where = layer ? `${whereIn(layer, ['profile'], 'value')}: ` : '';
  const tables = layers.map(({ raw }) => raw['profiles']).filter(isTable);
  const known = [...new Set([...tables.flatMap((table) => Object.keys(table)), ...profileFiles(home)])].toSorted();
  return `${where}there is no profile \`${name}\`${known.length === 0 ? howToWrite(home) : choiceOf(name, known)}`;
}

function howToWrite(home: string): string {
  return `, nor any other; write one as \`[profiles.NAME]\` in ${path.join(home, 'config.toml')} or as NAME${SUFFIX} beside it`;
}

function choiceOf(name: string, known: readonly string[]): string {
  const guess = nearest(name, known);
  return guess === undefined
    ? `; there are: ${known.join(', ')}`
    : `; did you mean \`${guess}\`? (${known.join(', ')})`;
}
