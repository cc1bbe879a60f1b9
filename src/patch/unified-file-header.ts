/** What the lines above the hunks say: which file it is, whether it comes, goes or moves, and its mode. */
import { PatchError, invalidHunk } from './patch-error.js';
import type { Destination } from './patch.js';
import { isGitHeader, isNamePair } from './unified-header.js';
import { gitNames, namePair, unquoted } from './unified-names.js';
import type { NamePair } from './unified-names.js';

export type FileHeader = {
  readonly kind: 'add' | 'delete' | 'update';
  readonly path: string;
  readonly to?: Destination;
  readonly mode?: number;
};

/** `next` is the line after the header. */
export function readFileHeader(
  lines: readonly string[],
  at: number,
): { readonly header: FileHeader; readonly next: number } {
  const said = new Map<string, string>();
  let next = at;
  if (isGitHeader(lines[at])) {
    next += 1;
    while (takeExtended(lines[next] ?? '', said)) next += 1;
  }
  const named = isNamePair(lines, next);
  const names = named ? namePair((lines[next] ?? '').slice(4), (lines[next + 1] ?? '').slice(4)) : undefined;
  const header = headerOf(said, names ?? gitNames(trimmed(lines[at]).slice('diff --git '.length)), at);
  return { header, next: named ? next + 2 : next };
}

const EXTENDED =
  /^(old mode|new mode|deleted file mode|new file mode|copy from|copy to|rename from|rename to|similarity index|dissimilarity index|index|Binary files|GIT binary patch)(?: (.*))?$/;

function takeExtended(line: string, said: Map<string, string>): boolean {
  const [, key, value = ''] = EXTENDED.exec(trimmed(line)) ?? [];
  if (key === undefined) return false;
  said.set(key, value);
  return true;
}

function trimmed(line = ''): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

function headerOf(said: ReadonlyMap<string, string>, names: NamePair | undefined, at: number): FileHeader {
  const path = names?.fresh ?? names?.old;
  const [from, to] = [movedName(said, 'from'), movedName(said, 'to')];
  const known = from ?? path;
  if (known === undefined || known === '' || to === '') throw invalidHunk(at + 1, 'the name of the file is missing');
  if (said.has('Binary files') || said.has('GIT binary patch')) throw binary(known);
  const mode = modeOf(said, known);
  if (from !== undefined && to !== undefined) {
    return { kind: 'update', path: from, to: { path: to, copy: said.has('copy to'), isNew: true }, ...mode };
  }
  if (said.has('new file mode') || (names !== undefined && names.old === undefined))
    return { kind: 'add', path: known, ...mode };
  if (said.has('deleted file mode') || names?.fresh === undefined) return { kind: 'delete', path: names?.old ?? known };
  return { kind: 'update', path: known, ...mode };
}

function movedName(said: ReadonlyMap<string, string>, side: 'from' | 'to'): string | undefined {
  const name = said.get(`rename ${side}`) ?? said.get(`copy ${side}`);
  return name === undefined ? undefined : unquoted(name);
}

function binary(path: string): PatchError {
  return new PatchError(
    `invalid patch: '${path}' is binary in this diff, and only text can be patched. Leave it out and write the file with a command.`,
  );
}

/** Git knows two modes of a file. Others stand for a link or another repository. */
function modeOf(said: ReadonlyMap<string, string>, path: string): { readonly mode: number } | undefined {
  const written = said.get('new file mode') ?? said.get('new mode') ?? said.get('deleted file mode');
  const inIndex = /^\S+ (\d+)$/.exec(said.get('index') ?? '')?.[1];
  const told = written ?? inIndex;
  if (told === undefined) return undefined;
  if (!/^100[0-7]{3}$/.test(told)) {
    throw new PatchError(
      `invalid patch: '${path}' has the mode ${told} in this diff; only regular files can be patched. Make links and the like with a command.`,
    );
  }
  return written === undefined ? undefined : { mode: Number.parseInt(told, 8) & 0o777 };
}
