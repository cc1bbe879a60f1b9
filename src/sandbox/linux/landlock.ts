/**
 * Landlock's rights by the version of its interface, its structures, and what to permit so that some paths stay
 * unreadable: it can only permit, and what is permitted for a folder holds for everything below.
 */
import { isInside } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';
import { words } from './words.js';

export const RIGHTS = {
  execute: 1n << 0n,
  writeFile: 1n << 1n,
  readFile: 1n << 2n,
  readFolder: 1n << 3n,
  removeFolder: 1n << 4n,
  removeFile: 1n << 5n,
  makeCharacterDevice: 1n << 6n,
  makeFolder: 1n << 7n,
  makeFile: 1n << 8n,
  makeSocket: 1n << 9n,
  makeFifo: 1n << 10n,
  makeBlockDevice: 1n << 11n,
  makeLink: 1n << 12n,
  /** Moving or linking from one folder to another. */
  refer: 1n << 13n,
  truncate: 1n << 14n,
  controlDevice: 1n << 15n,
} as const;

/** For `landlock_create_ruleset`: asks for the version of the interface and makes nothing. */
export const CREATE_RULESET_VERSION = 1;
/** For `landlock_add_rule`. */
export const RULE_PATH_BENEATH = 1;

export type HandledRights = { readonly files: bigint; readonly network: bigint; readonly scopes: bigint };

/** Everything that a version can restrict. Versions to come are treated like the last one known here. */
export function rightsFor(abi: number): HandledRights {
  if (!Number.isInteger(abi) || abi < 1) throw new RangeError(`there is no Landlock of the version ${abi}`);
  const { refer, truncate, controlDevice } = RIGHTS;
  return {
    files: FIRST_RIGHTS | (abi >= 2 ? refer : 0n) | (abi >= 3 ? truncate : 0n) | (abi >= 5 ? controlDevice : 0n),
    network: abi >= NETWORK_SINCE ? BIND_TCP | CONNECT_TCP : 0n,
    scopes: abi >= SCOPES_SINCE ? SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS : 0n,
  };
}

const FIRST_RIGHTS = (1n << 13n) - 1n;
const NETWORK_SINCE = 4;
const BIND_TCP = 1n;
const CONNECT_TCP = 2n;
const SCOPES_SINCE = 6;
const SCOPE_ABSTRACT_SOCKETS = 1n;
const SCOPE_SIGNALS = 2n;

export const READ_RIGHTS = RIGHTS.execute | RIGHTS.readFile | RIGHTS.readFolder;

/** Everything but the making of devices. */
export function writeRights(abi: number): bigint {
  return rightsFor(abi).files & ~(RIGHTS.makeCharacterDevice | RIGHTS.makeBlockDevice);
}

/** What a rule on something other than a folder may hold; with more the kernel refuses it. */
export function fileRights(abi: number): bigint {
  const { execute, writeFile, readFile, truncate, controlDevice } = RIGHTS;
  return rightsFor(abi).files & (execute | writeFile | readFile | truncate | controlDevice);
}

export type RulesetOptions = {
  /** Refuses every TCP port. Left out where a network namespace or the filter of sockets confines the network. */
  readonly refuseTcp?: boolean;
};

/** `struct landlock_ruleset_attr`, as long as the version knows it: its length is given to the kernel with it. */
export function rulesetAttribute(abi: number, { refuseTcp = false }: RulesetOptions = {}): Uint8Array {
  const { files, network, scopes } = rightsFor(abi);
  return words([
    files,
    ...(abi >= NETWORK_SINCE ? [refuseTcp ? network : 0n] : []),
    ...(abi >= SCOPES_SINCE ? [scopes] : []),
  ]);
}

export type FolderEntry = { readonly name: string; readonly isFolder: boolean; readonly isLink: boolean };

/** What is in a folder; nothing when it cannot be read. */
export type ListFolder = (folder: AbsolutePath) => readonly FolderEntry[];

export type ReadablePlace = { readonly path: AbsolutePath; readonly isFolder: boolean };

/**
 * Where to permit reading so that nothing hidden is covered: what lies beside each folder that leads to a hidden path.
 * Those folders themselves cannot be listed then. Links need no permission, what they lead to does; a hidden path must
 * therefore be a real one.
 */
export function readableSurface(list: ListFolder, hidden: readonly AbsolutePath[]): readonly ReadablePlace[] {
  return readableIn({ path: '/' as AbsolutePath, isFolder: true }, list, hidden);
}

function readableIn(place: ReadablePlace, list: ListFolder, hidden: readonly AbsolutePath[]): readonly ReadablePlace[] {
  const below = hidden.filter((each) => isInside(place.path, each));
  if (below.length === 0) return [place];
  if (!place.isFolder || below.includes(place.path)) return [];
  return list(place.path).flatMap(({ name, isFolder, isLink }) => {
    const path = `${place.path === '/' ? '' : place.path}/${name}` as AbsolutePath;
    return isLink ? passLink(path, below) : readableIn({ path, isFolder }, list, below);
  });
}

/** Behind a link the real place would be permitted, and the path only seem to be hidden. */
function passLink(link: AbsolutePath, hidden: readonly AbsolutePath[]): readonly ReadablePlace[] {
  const deceived = hidden.find((each) => isInside(link, each));
  if (deceived === undefined) return [];
  throw new Error(`${deceived} cannot be hidden by this name because ${link} is a link; name its real place`);
}
