/**
 * The fence: Landlock and seccomp alone, for places where no namespaces can be made, such as most containers. It holds
 * what is written, and takes away sockets altogether; what it cannot do is said in its guarantees.
 */
import { isInside } from '../../core/paths.js';
import type { Guarantees, Limits, ResolvedPolicy } from '../policy.js';
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
  noNewPrivileges(program);
  const ruleset = makeRuleset(program, abilities.landlock, landlockRules(request));
  const calls =
    evidence === 'none' ? [] : watchedCalls(evidence, 'sockets').filter((each) => each === 'paths' || !isOpen);
  const watch = calls.length > 0 ? addWatch(program, { calls, refuseSockets: true }) : undefined;
  program.fork('starting its first process', { tells: true, ...(watch && { watch }) });
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
  const shared = abilities.sharedDevices.map((path) => ({ path, isFolder: true }));
  const places = [...policy.writable, ...policy.granted].map(({ path, kind }) => ({
    path,
    isFolder: kind === 'folder',
  }));
  return [
    ...readable.map(({ path, isFolder }) => ({ path, isFolder, rights: READ_RIGHTS, optional: true })),
    ...[...devices, ...shared, ...places].map(({ path, isFolder }) => ({ path, isFolder, rights: all })),
  ];
}

/** What a process limit on memory would do to a program is worse than none. */
const HELD_BY_EVERY_KERNEL: readonly (keyof Limits)[] = ['cpuSeconds', 'fileBytes'];

export function fenceGuarantees(
  { network, limits, hidden, writable }: ResolvedPolicy,
  { landlock }: Pick<Abilities, 'landlock'>,
): Guarantees {
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
    killing: 'marked',
    limits: HELD_BY_EVERY_KERNEL.filter((name) => limits[name] !== undefined),
  };
}
