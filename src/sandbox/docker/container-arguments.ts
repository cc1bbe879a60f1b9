/** The whole command line that starts a container. Pure; what it says is all that confines the commands inside. */
import type { Limits, ResolvedPolicy } from '../policy.js';
import { enteringCommand } from './agent-program.js';
import { containerMounts, mountArguments } from './mounts.js';
import type { MountOptions } from './mounts.js';
import type { Engine } from './probe-engine.js';

export type RunOptions = MountOptions & {
  readonly engine: Engine;
  readonly name: string;
  readonly image: string;
  /** Whose container it is, for a person who finds it. */
  readonly owner: string;
  readonly user: { readonly uid: number; readonly gid: number };
  /** For engines with needs of their own. */
  readonly extraArguments?: readonly string[];
};

/** Processes that are not the command's: the agent, what waits for commands, and for the end of them. */
const OWN_PROCESSES = 64;

/** The input stays open for requests. An image is never looked for elsewhere, and nothing is written down. */
const RUN = ['run', '--rm', '--interactive', '--pull', 'never', '--log-driver', 'none', '--workdir', '/'];
const CONFINED = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];

export function containerArguments(policy: ResolvedPolicy, options: RunOptions): readonly string[] {
  const { engine, name, owner, user, image, extraArguments = [] } = options;
  const named = ['--name', name, '--label', `tenon=${owner}`];
  return [
    ...RUN,
    ...named,
    ...userArguments(engine, user),
    ...CONFINED,
    ...(engine.engine === 'podman' ? ['--read-only-tmpfs=false'] : []),
    // Nothing of the host carries a label that a confined type may read, and labelling it anew would change the host.
    ...(engine.selinux ? ['--security-opt', 'label=disable'] : []),
    ...(policy.network.kind === 'open' ? [] : ['--network', 'none']),
    ...limitArguments(policy.limits),
    ...containerMounts(policy, options).flatMap(mountArguments),
    ...extraArguments,
    image,
    ...enteringCommand('agent'),
  ];
}

/** Whoever is outside is who is inside; an engine of a plain user calls that user root. */
function userArguments({ engine, rootless }: Engine, { uid, gid }: RunOptions['user']): readonly string[] {
  if (rootless && engine === 'docker') return ['--user', '0:0'];
  return [...(rootless ? ['--userns', 'keep-id'] : []), '--user', `${uid}:${gid}`];
}

function limitArguments({ memoryBytes, processes }: Limits): readonly string[] {
  return [
    // With the same number for both there is no swap.
    ...(memoryBytes === undefined ? [] : ['--memory', `${memoryBytes}b`, '--memory-swap', `${memoryBytes}b`]),
    ...(processes === undefined ? [] : ['--pids-limit', `${processes + OWN_PROCESSES}`]),
  ];
}
