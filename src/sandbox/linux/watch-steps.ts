/** Seeing what a command tries: some of its system calls are shown to the launcher, which notes them down and lets go. */
import type { Address, ProgramBuilder } from '../runner/program.js';
import { loadWatchingFilter } from './confinement-steps.js';
import { AT_FDCWD, O_PATH } from './flags.js';
import type { Evidence } from './launch.js';
import { compileNotifyFilter } from './seccomp.js';
import { WATCHED_ARGUMENTS } from './seccomp-watched.js';
import type { Watched, WatchedArgument } from './seccomp-watched.js';
import { findSystemCall } from './system-calls.js';
import type { SystemCall } from './system-calls.js';

const NONE = 0xff;
const CURRENT_FOLDER = 0xfe;
const REFUSED = 0x80;

export type WatchOptions = {
  readonly calls: readonly Watched[];
  /** Whether internet sockets are refused; the system answers everything else. */
  readonly refuseSockets: boolean;
};

/** So many are enough to know what it wanted; one that tries in a loop must not fill the disk. */
const MOST_RECORDS = 512;

/** Loads the filter and gives what the waiting parent has to be told. */
export function addWatch(program: ProgramBuilder, { calls, refuseSockets }: WatchOptions): Address {
  const table = watchedTable(program, refuseSockets);
  const watch = Buffer.alloc(24);
  watch.writeUInt32LE(table.address.offset, 8);
  watch.writeUInt32LE(table.entries, 12);
  watch.writeUInt32LE(MOST_RECORDS, 16);
  const address = program.bytes(watch);
  // Before the filter, and before the command's own `/proc` covers this one.
  program.open('looking at processes', 'openat', [AT_FDCWD, program.text('/proc'), O_PATH, 0], {
    store: { kind: 'address', offset: address.offset + 4 },
  });
  loadWatchingFilter(program, compileNotifyFilter({ architecture: program.architecture, calls }), address);
  return address;
}

/** A call that is noted down, and what of it. */
export type WatchedEntry = { readonly call: SystemCall } & Partial<WatchedArgument>;

/** The numbers in the records are places in this list. */
export const WATCHED_ENTRIES: readonly WatchedEntry[] = [{ call: 'socket' }, ...WATCHED_ARGUMENTS];

function watchedTable(
  program: ProgramBuilder,
  refuseSockets: boolean,
): { readonly address: Address; readonly entries: number } {
  const lines = WATCHED_ENTRIES.flatMap((entry, index) => {
    const number = findSystemCall(entry.call, program.architecture);
    if (number === undefined) return [];
    const line = Buffer.alloc(8);
    line.writeInt32LE(number, 0);
    const refused = refuseSockets && entry.call === 'socket' ? REFUSED : 0;
    line.set([entry.pointer ?? NONE, folderOf(entry), entry.length ?? NONE, index | refused], 4);
    return [line];
  });
  return { address: program.bytes(Buffer.concat(lines)), entries: lines.length };
}

/** Only a path has one; an address is known by its length. */
function folderOf({ pointer, length, folder }: WatchedEntry): number {
  if (pointer === undefined || length !== undefined) return NONE;
  return folder ?? CURRENT_FOLDER;
}

/** What to watch for: connections always, files when they are asked for. */
export function watchedCalls(evidence: Evidence, network: Watched): readonly Watched[] {
  return evidence === 'paths' ? [network, 'paths'] : [network];
}
