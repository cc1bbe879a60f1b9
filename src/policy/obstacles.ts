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
      return writeObstacle(effect.path, context);
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
function writeObstacle(path: AbsolutePath, context: JudgeContext): Obstacle | undefined {
  const { sandboxMode, writableRoots, protectedFolders, realPath } = context;
  const grants: readonly Grant[] = [{ kind: 'write', path }];
  const isWithin = (folder: AbsolutePath): boolean =>
    isInside(folder, path) && isInside(realPath(folder), realPath(path));
  if (sandboxMode === 'read-only') {
    return { reason: `writing is blocked by read-only sandbox: ${path}`, rule: 'read-only', grants };
  }
  if (!writableRoots.some(isWithin)) {
    return { reason: `writing outside of the project: ${path}`, rule: 'outside-writable-roots', grants };
  }
  const touchesProtected = (folder: AbsolutePath): boolean =>
    isInside(folder, path) || isInside(realPath(folder), realPath(path));
  if (!protectedFolders.some(touchesProtected)) return undefined;
  return { reason: `writing to what decides what may run: ${path}`, rule: 'protected-folder', grants };
}

function noSandbox({ confinement }: JudgeContext): Obstacle | undefined {
  if (confinement.kind === 'none') {
    return { reason: `sandbox could not start: ${confinement.reason}`, rule: 'no-sandbox' };
  }
  const { weaker = [] } = confinement;
  if (weaker.length === 0) return undefined;
  const reason = `the sandbox that works here is weaker than asked for (name it as sandbox_policy to accept that): ${weaker.join('; ')}`;
  return { reason, rule: WEAKER, grants: [] };
}

/** Whoever has accepted it once need not be asked again. */
export const WEAKER = 'weaker-sandbox';

function freeSession(session: number): Obstacle {
  return { reason: `session ${session} runs outside of the sandbox`, rule: 'unconfined-session' };
}

function networkOff(host: string): Obstacle {
  return { reason: `network access to ${host}`, rule: 'network-off', grants: [{ kind: 'connect', host }] };
}

function remoteChange(server: string, tool: string): Obstacle {
  return { reason: `${server}/${tool} may change something outside of the sandbox`, rule: 'remote-change' };
}
