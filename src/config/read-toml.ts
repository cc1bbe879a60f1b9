/** Reads a file of settings. One that is not there holds nothing; one that cannot be read or parsed is never skipped. */
import { readFileSync } from 'node:fs';

import { ConfigError, messageOf } from '../core/errors.js';
import type { JsonObject } from '../core/json-object.js';

export type TomlFile = { readonly text: string; readonly raw: JsonObject };

export async function readToml(file: string): Promise<TomlFile> {
  const text = readText(file);
  return { text, raw: text === '' ? {} : await parseToml(text, file) };
}

/** Throws a `ConfigError` that names the file and the place in it. */
export async function parseToml(text: string, file: string): Promise<JsonObject> {
  const { parse } = await import('smol-toml');
  try {
    return parse(text);
  } catch (error) {
    throw new ConfigError(`${file}${placeOf(error)} is not valid TOML: ${firstLine(messageOf(error))}`, {
      cause: error,
    });
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw new ConfigError(`${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function placeOf(error: unknown): string {
  const { line, column } = error as { line?: number; column?: number };
  return line === undefined || column === undefined ? '' : `:${line}:${column}`;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
