/**
 * The cell: namespaces of the command's own, a read-only file system with holes for what may be written, then Landlock
 * and seccomp inside. The order of the steps matters: each takes away something that an earlier one needed.
 */
import { createProgram } from '../runner/program.js';
import type { Beginning, ProgramBuilder } from '../runner/program.js';
import type { AbsolutePath } from '../../core/paths.js';
import type { Guarantees, ResolvedPolicy } from '../policy.js';
import {
  closeDescriptors,
  dieWithParent,
  dropPrivileges,
  enterRuleset,
  joinGroups,
  loadFilter,
  makeRuleset,
  setLimits,
  writeFile,
} from './confinement-steps.js';
import type { LandlockRule } from './confinement-steps.js';
import { CLONE_NEWIPC, CLONE_NEWNET, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWUSER } from './flags.js';
import { READ_RIGHTS, writeRights } from './landlock.js';
import type { Abilities, Request } from './launch.js';
import { addMounts, mountProc, ownDevices } from './mount-steps.js';
import type { Overlay } from './mount-steps.js';
import { compileFilter } from './seccomp.js';
import { addWatch, watchedCalls } from './watch-steps.js';

/** Descriptors of namespaces that several commands share, as the runner has them. */
type RoomDescriptors = { readonly user: number; readonly network: number; readonly ipc: number };

export type CellRequest = Request & {
  /** Absent: the command gets a user namespace of its own, and the network of the machine. */
  readonly room?: RoomDescriptors;
  readonly identity: Identity;
  /** The root folder of the command. Default: the machine's. */
  readonly root?: string;
  readonly overlays?: readonly Overlay[];
  /** Folders in whose place the command gets an empty one of its own. */
  readonly emptied?: readonly AbsolutePath[];
};

export type Identity = { readonly user: number; readonly group: number };

export function compileCell(request: CellRequest): Beginning {
  const { abilities, policy, evidence, root = '' } = request;
  const program = createProgram(abilities.architecture, abilities);
  joinGroups(program, request.groups);
  enterNamespaces(program, request);
  // Entering namespaces would undo it.
  dieWithParent(program);
  const { overlays = [], emptied = [] } = request;
  addMounts(program, policy, { under: root, overlays, emptied, devices: abilities.devices });
  const ruleset = makeRuleset(program, abilities.landlock, landlockRules(policy, abilities, { under: root, emptied }));
  const watch =
    evidence === 'none'
      ? undefined
      : addWatch(program, { calls: watchedCalls(evidence, 'connections'), refuseSockets: false });
  program.fork('starting its first process', { ...(watch && { watch }) });
  dieWithParent(program);
  if (abilities.freshProc) mountProc(program, root);
  // This one is the first process of the namespace: when it ends, so does everything in it.
  program.fork('starting its second process', { tells: true, closeFrom: 4 });
  if (root !== '') program.call(`changing to the root ${root}`, 'chroot', [program.text(root)]);
  setLimits(program, policy.limits);
  dropPrivileges(program);
  enterRuleset(program, ruleset);
  loadFilter(
    program,
    'filtering system calls',
    compileFilter({
      architecture: abilities.architecture,
      sockets: 'all-namespaced',
      unixSockets: policy.unixSockets === 'private',
      guardModes: true,
    }),
  );
  closeDescriptors(program);
  return program.asBeginning();
}

function enterNamespaces(program: ProgramBuilder, { room, identity }: CellRequest): void {
  if (room === undefined) {
    becomeOwner(program, CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC, identity);
    return;
  }
  program.call('entering its user namespace', 'setns', [room.user, CLONE_NEWUSER]);
  program.call('entering its network namespace', 'setns', [room.network, CLONE_NEWNET]);
  program.call('entering its IPC namespace', 'setns', [room.ipc, CLONE_NEWIPC]);
  program.call('making namespaces', 'unshare', [CLONE_NEWNS | CLONE_NEWPID]);
}

/** New namespaces, in which we are who we are outside. */
export function becomeOwner(program: ProgramBuilder, namespaces: number, { user, group }: Identity): void {
  program.call('making namespaces', 'unshare', [namespaces]);
  writeFile(program, 'keeping its groups', '/proc/self/setgroups', 'deny');
  writeFile(program, 'keeping its user', '/proc/self/uid_map', `${user} ${user} 1`);
  writeFile(program, 'keeping its group', '/proc/self/gid_map', `${group} ${group} 1`);
}

/** The mounts say the same already. This also holds for descriptors that lead elsewhere, and for what they forgot. */
export function landlockRules(
  { writable, granted }: ResolvedPolicy,
  abilities: Abilities,
  { under = '', emptied = [] }: { readonly under?: string; readonly emptied?: readonly string[] } = {},
): readonly LandlockRule[] {
  const all = READ_RIGHTS | writeRights(abilities.landlock);
  const devices = ownDevices(abilities.devices).map((path) => ({ path, isFolder: false }));
  const shared = ['/dev/pts', '/dev/shm', ...emptied].map((path) => ({ path, isFolder: true }));
  const places = [...writable, ...granted].map(({ path, kind }) => ({ path, isFolder: kind === 'folder' }));
  return [
    { path: under || '/', rights: READ_RIGHTS, isFolder: true },
    ...[...devices, ...shared, ...places].map(({ path, isFolder }) => ({ path: under + path, rights: all, isFolder })),
  ];
}

export function cellGuarantees(
  { network, unixSockets }: ResolvedPolicy,
  { proxied, freshProc }: { readonly proxied: boolean; readonly freshProc: boolean },
): Omit<Guarantees, 'limits'> {
  return {
    writes: 'enforced',
    metadata: 'enforced',
    protectedPaths: 'enforced',
    hiddenPaths: 'enforced',
    network: network.kind === 'open' ? 'open' : proxied ? 'hosts' : 'loopback',
    unixSockets,
    // With the machine's own list of them, others can be seen.
    processes: freshProc ? 'isolated' : 'unsignalled',
    killing: 'whole',
  };
}
