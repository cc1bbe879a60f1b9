/** A small tree as it is before and after a set of changes, of every kind there is. */
import fs from 'node:fs';
import path from 'node:path';

/** Files by their text, links as `-> target`, folders as `/`. */
export type Tree = Readonly<Record<string, string>>;

export const OLD: Tree = {
  a: 'old a',
  'd/b': 'old b',
  'd/gone': 'old gone',
  d: '/',
  link: '-> a',
  turns: 'old turns',
  empty: '/',
  e: '/',
  'e/f': '/',
  'e/f/x': 'old x',
};

export const NEW: Tree = {
  a: 'new a',
  'd/b': 'new b',
  d: '/',
  'd/new': 'new new',
  'n/m/deep': 'new deep',
  n: '/',
  'n/m': '/',
  link: '-> d/b',
  turns: '/',
  'turns/inside': 'new inside',
  empty: 'new empty',
};

/** What has another kind afterwards: there is a moment in which it is neither. */
export const TURNING = ['turns', 'empty'];

export function layTree(top: string, tree: Tree): void {
  for (const [name, text] of Object.entries(tree)) {
    const file = path.join(top, name);
    fs.mkdirSync(text === '/' ? file : path.dirname(file), { recursive: true });
    if (text.startsWith('-> ')) fs.symlinkSync(text.slice(3), file);
    else if (text !== '/') fs.writeFileSync(file, text);
  }
}

export function treeOf(top: string): Tree {
  const entries = fs.readdirSync(top, { recursive: true, encoding: 'utf8' }).map((name) => {
    const stats = fs.lstatSync(path.join(top, name));
    if (stats.isSymbolicLink()) return [name, `-> ${fs.readlinkSync(path.join(top, name))}`];
    return [name, stats.isDirectory() ? '/' : fs.readFileSync(path.join(top, name), 'utf8')];
  });
  return Object.fromEntries(entries) as Tree;
}
