/** Where a command of a script stands: what it is read against changes as the script goes on. */
import path from 'node:path';

import { isExact } from './reading.js';
import type { Word } from './reading.js';

/** Shells that read the same text in their own ways. `sh` may be any of several. */
export type Dialect = 'bash' | 'sh' | 'zsh';

export type Place = {
  readonly dialect: Dialect;
  /** Folders the command may be started in; undefined when that cannot be told. */
  readonly folders: readonly string[] | undefined;
  /** What `~` stands for; undefined when the script may have changed that. */
  readonly home: string | undefined;
  /** How many commands it stands inside of. */
  readonly depth: number;
  /** Whether the same shell goes on behind the script, as it does behind `eval`. */
  readonly goesOn?: boolean;
  /** Whether it is only one of several commands that the words around it may mean. */
  readonly carried?: boolean;
};

const MOST_FOLDERS = 16;

/** Where a file may be that is named like this. Not normalised: `..` behind a link means another folder. */
export function pathsOf(target: Word, { folders }: Pick<Place, 'folders'>): readonly string[] | undefined {
  if (!isExact(target)) return undefined;
  if (path.isAbsolute(target)) return [target];
  return folders?.map((folder) => `${folder}/${target}`);
}

const MOVES: ReadonlySet<string> = new Set(['cd', 'pushd', 'popd', 'chdir', '.', 'source', 'eval', 'trap']);
const RUNS_MOVES: ReadonlySet<string> = new Set(['builtin', 'command']);

/** Whether a command can change the folder of those that follow. */
export function isMove([name, first]: readonly Word[]): boolean {
  if (!isExact(name)) return true;
  return MOVES.has(name) || (RUNS_MOVES.has(name) && first !== '-v' && first !== '-V');
}

/** The folders after a command: it may have moved, or failed to. */
export function foldersAfter(words: readonly Word[], place: Place): readonly string[] | undefined {
  if (!isMove(words)) return place.folders;
  if (words[0] !== 'cd') return undefined;
  const operands = words.slice(1).filter((word) => word !== '--' && word !== '-P' && word !== '-L');
  const [target = place.home] = operands;
  if (operands.length > 1 || target === undefined || !isExact(target) || target.startsWith('-')) return undefined;
  const moved = pathsOf(target, place);
  if (moved === undefined || place.folders === undefined) return undefined;
  // A shell takes `link/..` for the folder that the link stands in, the system for the one above where it leads.
  const folders = [...new Set([...place.folders, ...moved, ...moved.filter(goesUp).map(byName)])];
  return folders.length > MOST_FOLDERS ? undefined : folders;
}

function goesUp(folder: string): boolean {
  return /(?:^|\/)\.\.(?:\/|$)/.test(folder);
}

function byName(folder: string): string {
  return path.posix.normalize(folder).replace(/(?<=.)\/$/, '');
}
