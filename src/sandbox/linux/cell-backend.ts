/** Commands in cells of this machine; with another root folder, that is what people call a chroot. */
import type { AbsolutePath } from '../../core/paths.js';
import type { Backend, ConfinedProcess, ConfinedStart, HostVerdict } from '../backend.js';
import { hostList } from '../network/host-list.js';
import { keepLatest } from '../keep-latest.js';
import type { Kept } from '../keep-latest.js';
import type { NetworkPolicy } from '../policy.js';
import type { Beginning } from '../runner/program.js';
import type { Runner } from '../runner/runner.js';
import { cellGuarantees, compileCell } from './cell.js';
import type { CellRequest, Identity } from './cell.js';
import type { CommandNetwork, Permits, Wanted } from './command-network.js';
import type { ControlGroups, OpenGroup } from './control-groups.js';
import { evidenceFor } from './launch.js';
import type { Abilities } from './launch.js';
import { prepareRoot } from './mount-points.js';
import { withPrivateSockets } from './private-sockets.js';
import { xattrReader } from './read-xattrs.js';
import { withoutResolver } from './resolver-file.js';
import { startThroughRunner } from './start-through-runner.js';

export type CellOptions = {
  readonly runner: Runner;
  readonly abilities: Abilities;
  readonly identity: Identity;
  readonly network: CommandNetwork;
  readonly groups: ControlGroups;
  /** What rules of the user say to a host beyond the list: undefined when nothing. */
  readonly judgeHost?: ((host: string) => Promise<HostVerdict | undefined>) | undefined;
  readonly root?: AbsolutePath;
};

export function createCellBackend(options: CellOptions): Backend {
  const beginnings = keepLatest(compileCell);
  return {
    name: options.root === undefined ? 'cell' : 'chroot',
    writeError: 'EROFS',
    guarantees: (policy) => ({
      ...cellGuarantees(policy, { proxied: true, freshProc: options.abilities.freshProc }),
      limits: options.groups.held(policy.limits),
    }),
    getReady({ network }) {
      if (network.kind !== 'open') options.network.getReady();
    },
    start: (start) => startInCell(start, options, beginnings),
    readXattrs: xattrReader(options.runner, options.abilities.architecture),
    close: async () => {},
  };
}

async function startInCell(
  start: ConfinedStart,
  options: CellOptions,
  beginnings: Kept<CellRequest, Beginning>,
): Promise<ConfinedProcess> {
  const { command, workspace, policy, stage } = start;
  const isOpen = policy.network.kind === 'open';
  const visit = isOpen ? undefined : await options.network.enter(permitsOf(policy.network, options));
  let group: OpenGroup | undefined;
  const leave = (): Wanted => {
    group?.close();
    return visit?.leave() ?? NOTHING_WANTED;
  };
  try {
    const { policy: seen, emptied } = withPrivateSockets(visit ? withoutResolver(policy) : policy);
    group = options.groups.open(policy.limits);
    const started = await startThroughRunner({
      command,
      workspace,
      runner: options.runner,
      ...(options.root !== undefined && { root: options.root }),
      env: visit?.env ?? {},
      descriptors: visit ? [visit.room.user, visit.room.network, visit.room.ipc] : [],
      beginning: beginnings.get({
        policy: options.root === undefined ? seen : prepareRoot(options.root, seen),
        emptied,
        abilities: options.abilities,
        evidence: evidenceFor(policy, start.watchPaths, options.abilities),
        groups: group.files,
        identity: options.identity,
        ...(visit && { room: ROOM }),
        ...(options.root !== undefined && { root: options.root }),
        ...(stage && { overlays: [stage] }),
      }),
    });
    return { process: started.process, settle: async (exit) => ({ ...started.told(exit), ...leave() }) };
  } catch (error) {
    leave();
    throw error;
  }
}

const NOTHING_WANTED: Wanted = { refusedHosts: [], askedNames: [], shared: false };

/** Where the runner finds the namespaces: after its program and itself. */
const ROOM: NonNullable<CellRequest['room']> = { user: 5, network: 6, ipc: 7 };

function permitsOf(network: NetworkPolicy, { judgeHost }: CellOptions): Permits {
  const list = hostList(network.kind === 'open' ? [] : network.allowed);
  const named = new Set<string>();
  return {
    async allows(host) {
      const ruled = await judgeHost?.(host);
      if (ruled?.allowed === true && ruled.byName) named.add(host);
      return ruled?.allowed ?? list.allows(host);
    },
    // A host is always asked about before its address is.
    allowsPrivate: (host) => list.allowsPrivate(host) || (named.has(host) && hostList([host]).allowsPrivate(host)),
  };
}
