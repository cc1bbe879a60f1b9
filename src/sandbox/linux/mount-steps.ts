/**
 * The command's own view of the file system: all of it read-only, except for what may be written; what is protected
 * inside of that read-only again; devices, shared memory and what is hidden replaced. `under` is the folder that will be
 * its root, empty for the real one.
 */
import path from 'node:path';

import type { Place, ResolvedPolicy } from '../policy.js';
import type { ProgramBuilder, Result } from '../runner/program.js';
import {
  AT_EMPTY_PATH,
  AT_FDCWD,
  AT_RECURSIVE,
  MOUNT_ATTR_NODEV,
  MOUNT_ATTR_NOSUID,
  MOUNT_ATTR_RDONLY,
  MOVE_MOUNT_FROM_EMPTY_PATH,
  MOVE_MOUNT_TO_EMPTY_PATH,
  MS_NODEV,
  MS_NOEXEC,
  MS_NOSUID,
  MS_PRIVATE_RECURSIVE,
  MS_RDONLY,
  OPEN_TREE_CLONE,
  S_IFREG,
} from './flags.js';
import { openReal } from './confinement-steps.js';
import { words } from './words.js';

const O_CLOEXEC = 0o2000000;

/** A copy-on-write view: what is written to `lower` lands in `upper`. */
export type Overlay = { readonly lower: string; readonly upper: string; readonly work: string };

export type MountOptions = {
  readonly under: string;
  readonly overlays: readonly Overlay[];
  /** Folders in whose place the command gets an empty one of its own. */
  readonly emptied: readonly string[];
  /** Those of the machine that it gets, by their paths. */
  readonly devices: readonly string[];
};

export function addMounts(
  program: ProgramBuilder,
  policy: ResolvedPolicy,
  { under, overlays, emptied, devices }: MountOptions,
): void {
  program.call('separating its mounts', 'mount', [0, program.text('/'), 0, MS_PRIVATE_RECURSIVE, 0]);
  for (const overlay of overlays) addOverlay(program, overlay);
  const attachments = attachmentsOf(policy).map(({ path: place, attributes }) => ({
    place,
    attributes,
    tree: cloneTree(program, place),
  }));
  const nodes = ownDevices(devices).map((device) => ({
    name: path.posix.basename(device),
    tree: cloneTree(program, device),
  }));
  const covers = policy.hidden.filter(isFile).map((place) => ({ place, tree: cloneTree(program, '/dev/null') }));
  const root = under === '' ? undefined : cloneTree(program, under);
  setAttributes(program, 'making the file system read-only', '/', MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID);
  if (root !== undefined) attach(program, root, under, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID);
  for (const folder of emptied)
    mountNew(program, {
      what: `emptying ${folder}`,
      type: 'tmpfs',
      place: under + folder,
      flags: MS_NOSUID | MS_NODEV,
      options: 'mode=1777',
    });
  for (const { place, attributes, tree } of attachments) attach(program, tree, under + place, attributes);
  addDevices(program, `${under}/dev`, nodes);
  for (const place of policy.hidden.filter((each) => !isFile(each))) hideFolder(program, under + place.path);
  for (const { place, tree } of covers) move(program, `hiding ${place.path}`, tree, under + place.path);
}

type Attachment = { readonly path: string; readonly attributes: number };

const WRITABLE = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
const PROTECTED = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;

/** Outer ones first, or they would cover what lies in them. */
function attachmentsOf({ writable, pinned, protected: guarded, granted }: ResolvedPolicy): readonly Attachment[] {
  const all = new Map<string, Attachment>();
  const add = (places: readonly Place[], attributes: number): void => {
    for (const place of places) all.set(place.path, { path: place.path, attributes });
  };
  add(writable, WRITABLE);
  add(pinned, WRITABLE);
  add(guarded, PROTECTED);
  add(granted, WRITABLE);
  return [...all.values()].toSorted((a, b) => depth(a.path) - depth(b.path));
}

function depth(place: string): number {
  return place.split('/').length;
}

function addOverlay(program: ProgramBuilder, { lower, upper, work }: Overlay): void {
  const options = `userxattr,lowerdir=${escaped(lower)},upperdir=${escaped(upper)},workdir=${escaped(work)}`;
  program.call(`staging ${lower}`, 'mount', [
    program.text('overlay'),
    program.text(lower),
    program.text('overlay'),
    MS_NOSUID | MS_NODEV,
    program.text(options),
  ]);
}

/** Commas and colons separate options and folders. */
function escaped(folder: string): string {
  return folder.replaceAll(/[\\,:]/g, String.raw`\$&`);
}

function cloneTree(program: ProgramBuilder, place: string): Result {
  const what = `taking ${place}`;
  const found = openReal(program, what, place);
  const flags = OPEN_TREE_CLONE | AT_RECURSIVE | AT_EMPTY_PATH | O_CLOEXEC;
  const tree = program.open(what, 'open_tree', [found, program.text(''), flags]);
  program.close(found);
  return tree;
}

function setAttributes(program: ProgramBuilder, what: string, place: string, set: number): void {
  program.call(what, 'mount_setattr', [AT_FDCWD, program.text(place), AT_RECURSIVE, attributeSet(program, set), 32]);
}

function attach(program: ProgramBuilder, tree: Result, place: string, attributes: number): void {
  const empty = program.text('');
  const what = `mounting ${place}`;
  program.call(what, 'mount_setattr', [
    tree,
    empty,
    AT_EMPTY_PATH | AT_RECURSIVE,
    attributeSet(program, attributes),
    32,
  ]);
  move(program, what, tree, place);
}

function move(program: ProgramBuilder, what: string, tree: Result, place: string): void {
  const empty = program.text('');
  const target = openReal(program, what, place);
  const flags = MOVE_MOUNT_FROM_EMPTY_PATH | MOVE_MOUNT_TO_EMPTY_PATH;
  program.call(what, 'move_mount', [tree, empty, target, empty, flags]);
  program.close(target);
  program.close(tree);
}

function attributeSet(program: ProgramBuilder, set: number): ReturnType<ProgramBuilder['bytes']> {
  return program.bytes(words([BigInt(set), 0n, 0n, 0n]));
}

/** Terminals are made in an instance of their own. */
export function ownDevices(devices: readonly string[]): readonly string[] {
  return devices.filter((device) => device !== '/dev/ptmx');
}

const DEVICE_LINKS = [
  ['/proc/self/fd', 'fd'],
  ['/proc/self/fd/0', 'stdin'],
  ['/proc/self/fd/1', 'stdout'],
  ['/proc/self/fd/2', 'stderr'],
  ['pts/ptmx', 'ptmx'],
] as const;

type Device = { readonly name: string; readonly tree: Result };

function addDevices(program: ProgramBuilder, folder: string, devices: readonly Device[]): void {
  const what = 'making its devices';
  const at = (name: string): ReturnType<ProgramBuilder['text']> => program.text(path.posix.join(folder, name));
  mountNew(program, {
    what,
    type: 'tmpfs',
    place: folder,
    flags: MS_NOSUID | MS_NOEXEC,
    options: 'mode=755,size=64k',
  });
  for (const { name, tree } of devices) {
    program.call(what, 'mknodat', [AT_FDCWD, at(name), S_IFREG | 0o666, 0]);
    move(program, what, tree, path.posix.join(folder, name));
  }
  for (const [target, name] of DEVICE_LINKS)
    program.call(what, 'symlinkat', [program.text(target), AT_FDCWD, at(name)]);
  for (const name of ['pts', 'shm']) program.call(what, 'mkdirat', [AT_FDCWD, at(name), 0o755]);
  const terminals = path.posix.join(folder, 'pts');
  mountNew(program, {
    what,
    type: 'devpts',
    place: terminals,
    flags: MS_NOSUID | MS_NOEXEC,
    options: 'newinstance,ptmxmode=0666,mode=620',
  });
  mountNew(program, {
    what,
    type: 'tmpfs',
    place: path.posix.join(folder, 'shm'),
    flags: MS_NOSUID | MS_NODEV,
    options: 'mode=1777',
  });
}

export function mountProc(program: ProgramBuilder, under: string): void {
  const flags = MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY;
  mountNew(program, { what: 'mounting its /proc', type: 'proc', place: `${under}/proc`, flags });
}

/** A file system that exists for this mount alone. */
type NewMount = {
  readonly what: string;
  readonly type: 'tmpfs' | 'devpts' | 'proc';
  readonly place: string;
  readonly flags: number;
  readonly options?: string;
};

function mountNew(program: ProgramBuilder, { what, type, place, flags, options }: NewMount): void {
  const data = options === undefined ? 0 : program.text(options);
  program.call(what, 'mount', [program.text(type), program.text(place), program.text(type), flags, data]);
}

/** An empty folder over it; over a file comes the empty device. */
function hideFolder(program: ProgramBuilder, place: string): void {
  const flags = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;
  mountNew(program, {
    what: `hiding ${place}`,
    type: 'tmpfs',
    place,
    flags,
    options: 'mode=0555,size=4k',
  });
}

function isFile({ kind }: Place): boolean {
  return kind === 'file';
}
