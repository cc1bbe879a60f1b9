/** A workspace with a log, and ways to look at both. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { symlinkSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import path from 'node:path';

import type { ChangeHistory, ChangeLog, ChangeOwner } from '../../src/core/change-log.js';
import { callId } from '../../src/core/ids.js';
import { absolutePath } from '../../src/core/paths.js';
import type { AbsolutePath } from '../../src/core/paths.js';
import { localFiles } from '../../src/exec/local-files.js';
import { removeLeftovers } from '../../src/files/temporary-name.js';
import { createChangeLog } from '../../src/undo/create-change-log.js';
import type { ChangeLogOptions } from '../../src/undo/create-change-log.js';
import type { ChangeEvent } from '../../src/undo/parts.js';
import { PLAIN_USER } from '../sandbox/staging/users.js';
import { tempFolder } from '../support/temp-folder.js';
import { changesOf } from './changes-of.js';
import type { Sides } from './changes-of.js';

export type Tree = Readonly<Record<string, string>>;

export type Grounds = {
  readonly cwd: string;
  readonly changes: string;
  readonly events: readonly ChangeEvent[];
  readonly log: ChangeLog & ChangeHistory;
  /** Another log of the same workspace, as a later run has it. */
  readonly another: (options?: Partial<ChangeLogOptions>) => ChangeLog & ChangeHistory;
  readonly at: (name: string) => AbsolutePath;
  /** Changes files as a call does that is named after its number and is of the turn `t`. */
  readonly change: (call: string, changes: Sides) => Promise<void>;
  readonly command: (call: string, act: () => void) => Promise<void>;
  readonly tree: () => Tree;
  /** The names of what is in the folder of the log. */
  readonly entries: () => readonly string[];
};

export function grounds(before: Tree = {}, options: Partial<ChangeLogOptions> = {}): Grounds {
  const folder = realpathSync(tempFolder());
  const [cwd, changes] = [path.join(folder, 'work'), path.join(folder, 'home/changes')];
  mkdirSync(cwd);
  plant(cwd, before);
  const events: ChangeEvent[] = [];
  const another = (more: Partial<ChangeLogOptions> = {}): ChangeLog & ChangeHistory =>
    createChangeLog({
      folder: changes,
      cwd: absolutePath(cwd),
      files: localFiles,
      removeLeftovers,
      emit: (event) => events.push(event),
      ...options,
      ...more,
    });
  const log = another();
  const at = (name: string): AbsolutePath => absolutePath(path.join(cwd, name));
  return {
    cwd,
    changes,
    events,
    log,
    another,
    at,
    change: (call, sides) => log.recording(owner(call), localFiles).change(changesOf(at, sides)),
    command: (call, act) => log.aroundCommand(owner(call), async () => act()),
    tree: () => treeAt(cwd),
    entries: () => (existsSync(changes) ? entriesIn(changes) : []),
  };
}

/** The same for somebody without rights. */
export function forPlainUser(before: Tree): Grounds {
  const place = grounds(before);
  const { id } = PLAIN_USER;
  if (id !== undefined) spawnSync('chown', ['-R', `${id}:${id}`, path.dirname(place.cwd)]);
  return place;
}

function entriesIn(changes: string): readonly string[] {
  return readdirSync(changes, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('/'));
}

export function owner(call: string, turn = 't'): ChangeOwner {
  return { callId: callId(call), turn, title: `title of ${call}` };
}

/** Each entry with its content, and with its mode where that is not the usual one. */
export function treeAt(folder: string): Tree {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  return Object.fromEntries(names.map((name) => [name, sideAt(path.join(folder, name))]));
}

function sideAt(name: string): string {
  const stats = lstatSync(name);
  if (stats.isSymbolicLink()) return `->${readlinkSync(name)}`;
  const mode = stats.mode & 0o7777;
  if (stats.isDirectory()) return mode === 0o755 ? '/' : `/ ${mode.toString(8)}`;
  return readFileSync(name, 'latin1') + (mode === 0o644 ? '' : ` ${mode.toString(8)}`);
}

function plant(folder: string, tree: Tree): void {
  for (const [name, side] of Object.entries(tree)) {
    const full = path.join(folder, name);
    mkdirSync(path.dirname(full), { recursive: true });
    if (side === '/') mkdirSync(full, { recursive: true });
    else if (side.startsWith('->')) symlinkSync(side.slice(2), full);
    else writeFileSync(full, side);
    if (side !== '/' && !side.startsWith('->')) chmodSync(full, 0o644);
  }
}
