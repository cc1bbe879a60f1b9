/** Folders of a test as the files of a patch, and what a plan would make of them. */
import { existsSync, lstatSync, readFileSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import path from 'node:path';

import type { FileChange, FileState } from '../../src/core/files.js';
import { absolutePath } from '../../src/core/paths.js';
import type { PatchSource, ReadSource } from '../../src/patch/file-tree.js';

export const BASE = absolutePath('/w');

/** Bytes one character each, so that a difference can be read; `run` before what may be run, `link` before a link. */
export type Entries = Readonly<Record<string, string>>;

export function entriesOf(folder: string): Entries {
  if (!existsSync(folder)) return {};
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  const files = names.filter((name) => !lstatSync(path.join(folder, name)).isDirectory());
  return Object.fromEntries(files.map((name) => [name, entryAt(path.join(folder, name))]));
}

/** What would be there after these changes, each of which has to be to what is there. */
export function entriesAfter(before: Entries, changes: readonly FileChange[]): Entries {
  const after: Record<string, string> = { ...before };
  for (const change of changes) {
    const name = path.relative(BASE, change.path);
    const linked = change.before.kind === 'file' && change.after.kind === 'file' ? after[name] : undefined;
    const target = linked?.startsWith('link ') === true ? path.join(path.dirname(name), linked.slice(5)) : name;
    if ((after[target] ?? 'absent') !== entry(change.before)) throw new Error(`${target} was not as planned`);
    delete after[target];
    if (change.after.kind !== 'absent') after[target] = entry(change.after);
  }
  return Object.fromEntries(Object.entries(after).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Reads below the folder what a patch names below the base. */
export function sourceReader(folder: string): ReadSource {
  return (given) => Promise.resolve(sourceAt(path.join(folder, path.relative(BASE, given))));
}

function sourceAt(file: string): PatchSource | undefined {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (!found.isSymbolicLink()) return { kind: 'file', content: readFileSync(file), mode: found.mode & 0o777 };
  const target = readlinkSync(file);
  const leads = statSync(file, { throwIfNoEntry: false });
  if (leads === undefined) return { kind: 'link', target };
  return { kind: 'link', target, leadsTo: { content: readFileSync(file), mode: leads.mode & 0o777 } };
}

function entryAt(file: string): string {
  const found = lstatSync(file);
  if (found.isSymbolicLink()) return entry({ kind: 'link', target: readlinkSync(file) });
  return entry({ kind: 'file', content: readFileSync(file), mode: found.mode });
}

function entry(state: FileState): string {
  if (state.kind === 'link') return `link ${state.target}`;
  if (state.kind !== 'file') return state.kind;
  const runs = ((state.mode ?? 0o644) & 0o100) !== 0;
  return (runs ? 'run ' : 'file ') + Buffer.from(state.content).toString('latin1');
}
