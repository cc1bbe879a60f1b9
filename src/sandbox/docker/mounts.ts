/**
 * What of the host is seen in a container. Nothing is, unless it is mounted: the programs of the system read-only, the
 * places of the policy as it says. Every path has one mount at most, and the narrowest right wins.
 */
import { ConfigError } from '../../core/errors.js';
import { absolutePath, isInside } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';
import type { Place, ResolvedPolicy } from '../policy.js';
import { AGENT_FOLDER } from './agent-program.js';
import type { HostLayout } from './host-layout.js';

export type Mount =
  | {
      readonly kind: 'bind';
      readonly source: AbsolutePath;
      readonly target: AbsolutePath;
      readonly access: 'read' | 'write';
    }
  | { readonly kind: 'scratch'; readonly target: AbsolutePath };

export type MountOptions = {
  /** The runtime's own, with what covers hidden places in it. */
  readonly folder: AbsolutePath;
  readonly layout: HostLayout;
  /** More that may be read. */
  readonly readable?: readonly AbsolutePath[];
};

/** Names in the runtime's folder: empty, and not to be opened by anybody. */
export const COVERS = { folder: 'hidden-folder', file: 'hidden-file' } as const;

const SCRATCH = ['/tmp', '/var/tmp'].map(absolutePath);

export function containerMounts(policy: ResolvedPolicy, options: MountOptions): readonly Mount[] {
  const seen = visibleBinds(policy, options);
  const hidden = policy.hidden.filter((place) => seen.some(({ target }) => isInside(target, place.path)));
  const open = seen.filter(({ target }) => !hidden.some((place) => isInside(place.path, target)));
  const outermost = hidden.filter((place) => !hidden.some((other) => isBelow(other.path, place.path)));
  const scratch = SCRATCH.filter((target) => !seen.some((each) => isInside(each.target, target)));
  return [
    ...scratch.map((target) => ({ kind: 'scratch', target }) as const),
    ...open,
    ...outermost.map((place) => cover(place, options.folder)),
    bind(absolutePath(AGENT_FOLDER), 'read', options.folder),
  ].toSorted((one, other) => (one.target < other.target ? -1 : 1));
}

/** As the engine's command line takes it. */
export function mountArguments(mount: Mount): readonly string[] {
  // An engine would forbid to run what is there, and build tools do that.
  if (mount.kind === 'scratch') return ['--tmpfs', `${mount.target}:rw,exec,nosuid,nodev,mode=1777`];
  const { source, target, access } = mount;
  // Only the outermost mount becomes read-only, so those below it are left out.
  const rights = access === 'read' ? ['readonly', 'bind-nonrecursive=true'] : [];
  return ['--mount', ['type=bind', `source=${source}`, `target=${target}`, ...rights].map(field).join(',')];
}

/** Later ones replace earlier ones of the same path. */
function visibleBinds(policy: ResolvedPolicy, { layout, readable = [] }: MountOptions): readonly Bind[] {
  const binds = [
    ...[...layout.shown, ...readable].map((path) => bind(path, 'read')),
    ...[...policy.writable, ...policy.pinned].map(({ path }) => bind(path, 'write')),
    ...policy.protected.map(({ path }) => bind(path, 'read')),
    ...policy.granted.map(({ path }) => bind(path, 'write')),
  ];
  return [...new Map(binds.map((each) => [each.target, each])).values()];
}

type Bind = Extract<Mount, { readonly kind: 'bind' }>;

function bind(target: AbsolutePath, access: Bind['access'], source = target): Bind {
  return { kind: 'bind', source, target, access };
}

function cover({ path, kind }: Place, folder: AbsolutePath): Bind {
  return bind(path, 'read', absolutePath(`${folder}/${COVERS[kind]}`));
}

function isBelow(folder: AbsolutePath, path: AbsolutePath): boolean {
  return folder !== path && isInside(folder, path);
}

/** Mounts are written as a line of comma-separated values, which is no place for a line break. */
function field(text: string): string {
  if (/[\r\n]/.test(text)) throw new ConfigError(`a path with a line break cannot be mounted: ${JSON.stringify(text)}`);
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
