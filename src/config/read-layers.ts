/** Where settings come from, layer by layer, and which of them count. Nothing is checked here but who may say what. */
import path from 'node:path';

import { combineLayers } from './check-layers.js';
import { fileLayer, whereIn } from './layer.js';
import type { Layer, LayerKind } from './layer.js';
import { withoutOldTables } from './old-tables.js';
import { withWholePaths } from './own-paths.js';
import { chosenProfile, profileLayers } from './profile.js';
import { findProject } from './project.js';
import type { Project } from './project.js';
import { withoutValue } from './raw-table.js';
import { overrideLayer } from './read-override.js';
import type { Override } from './read-override.js';
import { isTrusted } from './trust.js';

export type ConfigSource = {
  /** The folder that holds `config.toml`. */
  readonly home: string;
  /** Where the work is done: the settings of the project there count too. Without it, no project is looked for. */
  readonly cwd?: string;
  /** From the command line; the later wins. */
  readonly overrides?: readonly Override[];
  /** Whether a key that nobody knows stops the program. Default: it is ignored with a warning. */
  readonly strictConfig?: boolean;
  /** Leaves the user's own file out, but for what it says about trust. */
  readonly ignoreUserConfig?: boolean;
  /** Hears of what was ignored, such as an unknown key. */
  readonly onWarning?: (message: string) => void;
};

export type TrustedProject = Project & { readonly trusted: boolean };

export type Layers = {
  /** From the lowest to the highest. */
  readonly layers: readonly Layer[];
  readonly project?: TrustedProject;
};

/** Throws a `ConfigError` for what cannot be read, and for a profile that is not there. */
export async function readLayers(source: ConfigSource): Promise<Layers> {
  const user = await fileLayer('user', path.join(source.home, 'config.toml'));
  const project = source.cwd === undefined ? undefined : projectAt(source.cwd, source.home, user);
  const files = [...(source.ignoreUserConfig ? [] : [user]), ...(project ? await projectLayers(project, source) : [])];
  const flags = await Promise.all((source.overrides ?? []).map(overrideLayer));
  const profile = chosenProfile([...files, ...flags]);
  const chosen = profile === undefined ? [] : await profileLayers(profile, [...files, ...flags], source.home);
  const layers = [...files, ...chosen, ...flags].map((layer) => prepared(layer, source));
  return { layers, ...(project && { project }) };
}

/** Trust is looked at before the other layers are there, so that none of them can have a say in it. */
function projectAt(cwd: string, home: string, user: Layer): TrustedProject {
  const found = findProject(cwd, home);
  const { projects } = combineLayers([{ ...user, raw: { projects: user.raw['projects'] } }]);
  return { ...found, trusted: isTrusted(home, found.root, projects) };
}

/** A file that is not trusted is not even opened. */
async function projectLayers({ root, own, trusted }: TrustedProject, source: ConfigSource): Promise<Layer[]> {
  if (own.length === 0) return [];
  if (!trusted) {
    source.onWarning?.(
      `this project's own settings are not used, because the folder is not trusted: ${own.join(', ')} (in ${root}). \`tenon trust\` allows them.`,
    );
    return [];
  }
  return [await fileLayer('project', path.join(root, '.tenon', 'config.toml'))];
}

function prepared(layer: Layer, { home, cwd = '.', onWarning = () => {} }: ConfigSource): Layer {
  let { raw } = layer;
  for (const { key, kinds, why } of FOREIGN) {
    if (!kinds.includes(layer.kind) || !Object.hasOwn(raw, key)) continue;
    onWarning(`${whereIn(layer, [key], 'key')}: \`${key}\` is ignored; ${why(path.join(home, 'config.toml'))}`);
    raw = withoutValue(raw, [key]);
  }
  return withWholePaths(withoutOldTables({ ...layer, raw }, onWarning), cwd);
}

/** A key that means nothing in some layers. */
type Foreign = {
  readonly key: string;
  readonly kinds: readonly LayerKind[];
  readonly why: (file: string) => string;
};

const FOREIGN: readonly Foreign[] = [
  {
    // Trust is the user's to give: neither a project nor whoever writes a command line may help themselves to it.
    key: 'projects',
    kinds: ['project', 'profile', 'flag'],
    why: (file) => `only ${file} and \`tenon trust\` say which folders are trusted`,
  },
  { key: 'profile', kinds: ['profile'], why: () => 'a profile cannot choose another one' },
  { key: 'profiles', kinds: ['profile'], why: (file) => `only ${file} and a project's own file hold several` },
];
