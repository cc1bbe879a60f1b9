/** The protected names in all roots: those that are there, and those directly in a root that are not. */
import path from 'node:path';

import { ConfigError } from '../../core/errors.js';
import { absolutePath } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';
import { checkText, statsOf } from './places.js';
import type { ScanCache } from './scan-cache.js';
import { nameTest } from './scan.js';
import type { Found, Scan, ScanRules } from './scan.js';
import type { Root } from './writable-roots.js';

/** Why there may be more protected names in a root than were found. */
export type Cut = { readonly root: AbsolutePath; readonly by: 'depth' | 'entries' };

type ProtectedNames = {
  readonly found: readonly Found[];
  readonly sealed: readonly AbsolutePath[];
  readonly absent: readonly AbsolutePath[];
  readonly cut: readonly Cut[];
};

type NameSearch = {
  readonly cache: ScanCache;
  readonly maxDepth?: number;
  readonly maxEntries?: number;
  readonly platform?: NodeJS.Platform;
};

const MAX_DEPTH = 16;
const MAX_ENTRIES = 50_000;

/** Systems where a name is found however it is spelled. */
const IGNORING_CASE: ReadonlySet<NodeJS.Platform> = new Set(['darwin', 'win32']);

export function findProtectedNames(
  roots: readonly Root[],
  names: readonly string[],
  { cache, maxDepth = MAX_DEPTH, maxEntries = MAX_ENTRIES, platform = process.platform }: NameSearch,
): ProtectedNames {
  for (const name of names) checkName(name);
  const rules = { names, ignoreCase: IGNORING_CASE.has(platform), maxDepth, maxEntries };
  const searched = roots.map((root) => inRoot(root, rules, cache));
  return {
    found: searched.flatMap(({ found }) => found),
    sealed: searched.flatMap(({ sealed }) => sealed),
    absent: searched.flatMap(({ absent }) => absent),
    cut: searched.flatMap(({ root, cut }) => (cut === undefined ? [] : [{ root, by: cut }])),
  };
}

function checkName(name: string): void {
  checkText(name);
  if (path.basename(name) === name && name !== '' && name !== '.' && name !== '..') return;
  throw new ConfigError(`the protected name ${JSON.stringify(name)} is not the name of a file; protect a path instead`);
}

type Searched = Scan & { readonly root: AbsolutePath; readonly absent: readonly AbsolutePath[] };

function inRoot({ path: root, shallow }: Root, rules: ScanRules, cache: ScanCache): Searched {
  if (shallow) return { root, found: directNames(root, rules), sealed: [], absent: [] };
  const scanned = cache.scan(root, rules);
  const direct = scanned.found.filter((name) => path.dirname(name.path) === root);
  const absent = rules.names.filter((name) => {
    const isName = nameTest({ names: [name], ignoreCase: rules.ignoreCase });
    return !direct.some((found) => isName(path.basename(found.path)));
  });
  return { ...scanned, root, absent: absent.map((name) => absolutePath(path.join(root, name))) };
}

/** Asked for one by one: such a folder may hold very much. */
function directNames(root: AbsolutePath, { names }: ScanRules): readonly Found[] {
  return names.flatMap((name) => {
    const file = absolutePath(path.join(root, name));
    const stats = statsOf(file);
    if (stats === undefined) return [];
    const kind = stats.isDirectory() ? 'folder' : 'file';
    return [{ path: file, kind: stats.isSymbolicLink() ? 'link' : kind }];
  });
}
