/** Settings with their origins, for people and for programs. */
import type { Origin, ShownSetting } from '../index.js';

/** As a line of TOML, which the origin follows as a comment. */
export function settingLine({ key, value, origin }: ShownSetting, withOrigin: boolean): string {
  return `${key} = ${JSON.stringify(value)}${withOrigin ? `  # ${originText(origin)}` : ''}`;
}

/** For scripts: texts without quotes. */
export function bareValue({ value }: ShownSetting): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** All of them as one object, table in table. */
export function settingsTree(settings: readonly ShownSetting[]): object {
  const tree = emptyTree();
  for (const { path, value } of settings) {
    const last = path.at(-1) ?? '';
    const table = path.slice(0, -1).reduce((node, name) => (node[name] ??= emptyTree()) as Tree, tree);
    table[last] = value;
  }
  return tree;
}

export function originText(origin: Origin): string {
  switch (origin.kind) {
    case 'default':
      return 'default';
    case 'flag':
      return origin.flag;
    default: {
      const place = origin.line === undefined ? origin.file : `${origin.file}:${origin.line}`;
      return origin.profile === undefined ? place : `profile ${origin.profile}, ${place}`;
    }
  }
}

type Tree = { [name: string]: unknown };

/** Whatever a table is called, it is only a name. */
function emptyTree(): Tree {
  return Object.create(null) as Tree;
}
