/** A home and a project for tests of settings, each with the files that a test gives it. */
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { loadSettings, trustFolder } from '../../src/index.js';
import type { ConfigSource } from '../../src/index.js';
import { tempFolder } from '../support/temp-folder.js';

export type Place = { readonly home: string; readonly project: string };

type Files = {
  /** By name, in the home folder. */
  readonly home?: Readonly<Record<string, string>>;
  /** By name, in the project's `.tenon`. */
  readonly project?: Readonly<Record<string, string>>;
};

/** The project is trusted. */
export async function settingsPlace({ home: own = {}, project: theirs = {} }: Files = {}): Promise<Place> {
  const folder = realpathSync(tempFolder());
  const [home, project] = [path.join(folder, 'home'), path.join(folder, 'project')];
  for (const each of [home, path.join(project, '.git'), path.join(project, '.tenon')])
    mkdirSync(each, { recursive: true });
  for (const [name, text] of Object.entries(own)) writeFileSync(path.join(home, name), text);
  for (const [name, text] of Object.entries(theirs)) writeFileSync(path.join(project, '.tenon', name), text);
  await trustFolder(home, project);
  return { home, project };
}

/** The configuration with its warnings, folders replaced by words. */
export async function loadFrom(place: Place, source: Partial<ConfigSource> = {}) {
  const warnings: string[] = [];
  const { home, project: cwd } = place;
  const { config } = await loadSettings({
    home,
    cwd,
    ...source,
    onWarning: (message) => warnings.push(inWords(message, place)),
  });
  return { config, warnings };
}

export function inWords(text: string, { home, project }: Place): string {
  return text.replaceAll(project, 'PROJECT').replaceAll(home, 'HOME');
}

/** What loading fails with. */
export async function failureOf(work: Promise<unknown>, place: Place): Promise<string> {
  return work.then(
    () => 'nothing failed',
    (error: unknown) => inWords(String(error), place),
  );
}
