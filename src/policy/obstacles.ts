/** Why something cannot simply run inside the sandbox, and the rights that would let it. */
import type { Effect, Grant, Permission } from '../core/effects.js';
import { isInside } from '../core/paths.js';
import type { AbsolutePath } from '../core/paths.js';
import type { JudgeContext } from './context.js';

export type Obstacle = {
  readonly reason: string;
  readonly rule: string;
  /** Absent when no single right helps: the call would have to run unconfined. */
  readonly grants?: readonly Grant[];
};

export function obstacleTo(effect: Effect, context: JudgeContext): Obstacle | undefined {
  if (context.sandboxMode === 'danger-full-access') return undefined;
  switch (effect.kind) {
    case 'read':
      return undefined;
    case 'write':
      return isWritable(effect.path, context) ? undefined : outsideWrite(effect.path);
    case 'type':
      if (effect.confined === false) return freeSession(effect.session);
      return noSandbox(context);
    case 'exec':
      return noSandbox(context);
    case 'connect':
      return context.network ? undefined : networkOff(effect.host);
    case 'remote':
      return effect.readOnly && !effect.destructive ? undefined : remoteChange(effect.server, effect.tool);
    default:
      return { reason: 'the call would do something this policy does not know', rule: 'unknown-effect' };
  }
}

/** What overcomes all of them: the sandbox is kept only if single rights do. */
export function permissionFor(obstacles: readonly Obstacle[]): Permission {
  const grants = obstacles.map((obstacle) => obstacle.grants);
  const known = grants.filter((each) => each !== undefined);
  const confined = known.length === grants.length;
  return { confined, grants: confined ? known.flat() : [] };
}

export function missingGrants(missing: readonly Grant[]): Obstacle {
  const wanted = missing.map((grant) =>
    grant.kind === 'connect' ? `connect to ${grant.host}` : `${grant.kind} ${grant.path}`,
  );
  const reason = `the sandbox blocked this: ${wanted.join(', ')}. Retry with just that allowed?`;
  return { reason, rule: 'missing-grant', grants: missing };
}

/** As it is written and without links: a link must not lead out. */
function isWritable(path: AbsolutePath, { sandboxMode, writableRoots, realPath }: JudgeContext): boolean {
  if (sandboxMode !== 'workspace-write') return false;
  const real = realPath(path);
  return writableRoots.some((root) => isInside(root, path) && isInside(realPath(root), real));
}

function outsideWrite(path: AbsolutePath): Obstacle {
  const reason = `writing outside of the project: ${path}`;
  return { reason, rule: 'outside-writable-roots', grants: [{ kind: 'write', path }] };
}

function noSandbox({ confinement }: JudgeContext): Obstacle | undefined {
  if (confinement.kind === 'available') return undefined;
  return { reason: `sandbox could not start: ${confinement.reason}`, rule: 'no-sandbox' };
}

function freeSession(session: number): Obstacle {
  return { reason: `session ${session} runs outside of the sandbox`, rule: 'unconfined-session' };
}

function networkOff(host: string): Obstacle {
  return { reason: `network access to ${host}`, rule: 'network-off', grants: [{ kind: 'connect', host }] };
}

function remoteChange(server: string, tool: string): Obstacle {
  return { reason: `${server}/${tool} may change something outside of the sandbox`, rule: 'remote-change' };
}
