/** One ignore file as rules. The last one that holds for an entry decides; what is not understood is passed over. */
import { compileGlob, compileNameGlob } from './glob.js';

export type IgnoreFile = readonly IgnoreRule[];

type IgnoreRule = {
  readonly verdict: Verdict;
  readonly foldersOnly: boolean;
  /** Without a slash, a rule is about names wherever they are. */
  readonly holds:
    | { readonly kind: 'name'; readonly test: (name: string) => boolean }
    | { readonly kind: 'path'; readonly test: (names: readonly string[]) => boolean };
};

export type Verdict = 'ignore' | 'keep';

export function readIgnoreFile(text: string): IgnoreFile {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  return lines.map(readRule).filter((rule) => rule !== undefined);
}

/** `path` is relative to the folder of the file, with `/` between its names; `name` is the last of them. */
export function verdictOf(file: IgnoreFile, path: string, name: string, isFolder: boolean): Verdict | undefined {
  let names: readonly string[] | undefined;
  for (let index = file.length - 1; index >= 0; index -= 1) {
    const { verdict, foldersOnly, holds } = file[index] as IgnoreRule;
    if (foldersOnly && !isFolder) continue;
    if (holds.kind === 'name' ? holds.test(name) : holds.test((names ??= path.split('/')))) return verdict;
  }
  return undefined;
}

function readRule(line: string): IgnoreRule | undefined {
  const text = line.endsWith('\\ ') ? line : line.trimEnd();
  if (text === '' || text.startsWith('#')) return undefined;
  const verdict = text.startsWith('!') ? 'keep' : 'ignore';
  const pattern = verdict === 'keep' ? text.slice(1) : text;
  const foldersOnly = pattern.endsWith('/');
  const glob = foldersOnly ? pattern.slice(0, -1) : pattern;
  const holds = glob.includes('/') ? holdsForPath(glob.replace(/^\//, '')) : holdsForName(glob);
  return holds && { verdict, foldersOnly, holds };
}

function holdsForPath(glob: string): IgnoreRule['holds'] | undefined {
  const test = compileGlob(glob);
  return test && { kind: 'path', test };
}

function holdsForName(glob: string): IgnoreRule['holds'] | undefined {
  const test = glob === '' ? undefined : compileNameGlob(glob);
  return test && { kind: 'name', test };
}
