/**
 * The fence: Landlock and seccomp alone, for places where no namespaces can be made, such as most containers. It holds
 * what is written, and takes away sockets altogether; what it cannot do is said in its guarantees.
 */
import { isInside } from '../../core/paths.js';
import type { Guarantees, ResolvedPolicy } from '../policy.js';
import { createProgram } from '../runner/program.js';
import type { Beginning } from '../runner/program.js';
import {
  closeDescriptors,
  dieWithParent,
  dropPrivileges,
  enterRuleset,
  joinGroups,
  loadFilter,
  makeRuleset,
  noNewPrivileges,
  setLimits,
} from './confinement-steps.js';
import type { LandlockRule } from './confinement-steps.js';
import { PR_SET_CHILD_SUBREAPER } from './flags.js';
import { READ_RIGHTS, writeRights } from './landlock.js';
import type { Abilities, Request } from './launch.js';
import { compileFilter } from './seccomp.js';
import { addWatch, watchedCalls } from './watch-steps.js';

export type FenceRequest = Request & {
  /** What may be read: everything but what is hidden. */
  readonly readable: readonly { readonly path: string; readonly isFolder: boolean }[];
};

export function compileFence(request: FenceRequest): Beginning {
  const { abilities, policy, evidence } = request;
  const { architecture } = abilities;
  const program = createProgram(architecture, abilities);
  const isOpen = policy.network.kind === 'open';
  joinGroups(program, request.groups);
  dieWithParent(program);
  noNewPrivileges(program);
  const ruleset = makeRuleset(program, abilities.landlock, landlockRules(request), { refuseTcp: !isOpen });
  const calls =
    evidence === 'none' ? [] : watchedCalls(evidence, 'sockets').filter((each) => each === 'paths' || !isOpen);
  const watch = calls.length > 0 ? addWatch(program, { calls, refuseSockets: true }) : undefined;
  // Whatever it leaves behind becomes ours, and ends before its end is told.
  program.call('adopting what it leaves behind', 'prctl', [PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0]);
  program.fork('starting its first process', { tells: true, endsAll: true, ...(watch && { watch }) });
  dieWithParent(program);
  setLimits(program, policy.limits);
  dropPrivileges(program);
  enterRuleset(program, ruleset);
  const sockets = isOpen ? 'open' : calls.includes('sockets') ? 'reported' : 'none';
  const filter = compileFilter({
    architecture,
    sockets,
    unixSockets: false,
    guardModes: true,
    guardOthers: true,
    guardTruncation: abilities.landlock < TRUNCATION_SINCE,
  });
  loadFilter(program, 'filtering system calls', filter);
  closeDescriptors(program);
  return program.asBeginning();
}

/** Before that, Landlock did not see a file being cut short. */
const TRUNCATION_SINCE = 3;
/** Before that, it did not keep signals in. */
const SIGNALS_SINCE = 6;

function landlockRules({ policy, readable, abilities }: FenceRequest): readonly LandlockRule[] {
  const all = READ_RIGHTS | writeRights(abilities.landlock);
  const devices = abilities.devices.map((path) => ({ path, isFolder: false }));
  // Not the folder of terminals: those of the user are in it. Its own it has open.
  const shared = abilities.sharedDevices
    .filter((path) => path !== '/dev/pts')
    .map((path) => ({ path, isFolder: true }));
  const places = [...policy.writable, ...policy.granted].map(({ path, kind }) => ({
    path,
    isFolder: kind === 'folder',
  }));
  return [
    ...readable.map(({ path, isFolder }) => ({ path, isFolder, rights: READ_RIGHTS, optional: true })),
    ...[...devices, ...shared, ...places].map(({ path, isFolder }) => ({ path, isFolder, rights: all })),
  ];
}

export function fenceGuarantees(
  { network, hidden, writable }: ResolvedPolicy,
  { landlock }: Pick<Abilities, 'landlock'>,
): Omit<Guarantees, 'limits'> {
  // Rights are for a folder with all that is in it.
  const isOpen = hidden.some((place) => writable.some((root) => isInside(root.path, place.path)));
  return {
    writes: 'enforced',
    metadata: 'open',
    protectedPaths: 'reverted',
    hiddenPaths: isOpen ? 'open' : 'enforced',
    network: network.kind === 'open' ? 'open' : 'none',
    unixSockets: 'none',
    processes: landlock >= SIGNALS_SINCE ? 'unsignalled' : 'open',
    // By itself it ends with all it started; who kills its launcher has to look for the rest.
    killing: 'marked',
  };
}
