/**
 * What may run. A pure function of what a call would touch and of what the user set: the same answer when running,
 * explaining and testing. What it does not know, it does not allow.
 */
import type { Effect, Grant, Intent, Rule, Verdict } from '../core/effects.js';
import { isInside } from '../core/paths.js';
import type { AbsolutePath } from '../core/paths.js';
import type { SandboxMode } from '../core/workspace.js';
import type { ApprovalPolicy } from './approval-policy.js';

export type JudgeContext = {
  readonly approvalPolicy: ApprovalPolicy;
  readonly sandboxMode: SandboxMode;
  readonly writableRoots: readonly AbsolutePath[];
  readonly network: boolean;
  /** Whether commands can be confined on this machine, and if not, why. */
  readonly confinement: { readonly kind: 'available' } | { readonly kind: 'none'; readonly reason: string };
  /** Rights that a first attempt was proven to lack. */
  readonly missing: readonly Grant[];
};

export function judge(intent: Intent, context: JudgeContext): Verdict {
  const { missing, sandboxMode } = context;
  if (missing.length > 0) return askOrDeny(missingGrants(missing), context);
  if (sandboxMode === 'danger-full-access') return asksFirst(intent, context) ?? allow(false, sandboxMode);
  if (intent.escalate) return judgeEscalation(intent.escalate.reason, context);
  const obstacles = intent.effects.flatMap((effect) => obstacleTo(effect, context) ?? []);
  if (obstacles.length > 0) return askOrDeny(sum(obstacles), context);
  return asksFirst(intent, context) ?? allow(true, sandboxMode);
}

/** The model asked to leave the sandbox; only some policies let it ask at all. */
function judgeEscalation(reason: string, { approvalPolicy }: JudgeContext): Verdict {
  const rule = named('escalation-requested');
  if (approvalPolicy !== 'never' && approvalPolicy !== 'on-failure') {
    const told = `the model asks to leave the sandbox and says ${JSON.stringify(reason)}`;
    return { kind: 'ask', reason: told, rule, confined: false, grants: [] };
  }
  return {
    kind: 'deny',
    reason:
      `approval policy is ${approvalPolicy}; reject command — you cannot ask for escalated permissions if the ` +
      `approval policy is ${approvalPolicy}. Run it without asking for them.`,
    rule,
  };
}

/** Policies that ask before every change, wherever it would run. */
function asksFirst(intent: Intent, context: JudgeContext): Verdict | undefined {
  const { approvalPolicy, sandboxMode } = context;
  if (approvalPolicy !== 'always' && approvalPolicy !== 'untrusted') return undefined;
  if (!intent.effects.some(changesSomething)) return undefined;
  return {
    kind: 'ask',
    reason: `the approval policy "${approvalPolicy}" asks before anything that changes something`,
    rule: named(`approval-policy-${approvalPolicy}`),
    confined: sandboxMode !== 'danger-full-access',
    grants: [],
  };
}

/** Why something cannot simply run inside the sandbox, and the rights that would let it. */
type Obstacle = {
  readonly reason: string;
  readonly rule: string;
  /** Absent when no single right helps: the call would have to run unconfined. */
  readonly grants?: readonly Grant[];
};

function obstacleTo(effect: Effect, context: JudgeContext): Obstacle | undefined {
  switch (effect.kind) {
    case 'read':
      return undefined;
    case 'write':
      return isWritable(effect.path, context) ? undefined : outsideWrite(effect.path);
    case 'type':
      if (effect.confined === false) return freeSession(effect.session);
      return context.confinement.kind === 'available' ? undefined : noSandbox(context.confinement.reason);
    case 'exec':
      return context.confinement.kind === 'available' ? undefined : noSandbox(context.confinement.reason);
    case 'connect':
      return context.network ? undefined : networkOff(effect.host);
    case 'remote':
      return effect.readOnly && !effect.destructive ? undefined : remoteChange(effect.server, effect.tool);
    default:
      return { reason: 'the call would do something this policy does not know', rule: 'unknown-effect' };
  }
}

function outsideWrite(path: AbsolutePath): Obstacle {
  const reason = `writing outside of the project: ${path}`;
  return { reason, rule: 'outside-writable-roots', grants: [{ kind: 'write', path }] };
}

function noSandbox(reason: string): Obstacle {
  return { reason: `sandbox could not start: ${reason}`, rule: 'no-sandbox' };
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

function missingGrants(missing: readonly Grant[]): Obstacle {
  const wanted = missing.map((grant) =>
    grant.kind === 'connect' ? `connect to ${grant.host}` : `${grant.kind} ${grant.path}`,
  );
  const reason = `the sandbox blocked this: ${wanted.join(', ')}. Retry with just that allowed?`;
  return { reason, rule: 'missing-grant', grants: missing };
}

/** One question for several obstacles: it keeps the sandbox only if single rights overcome all of them. */
function sum(obstacles: readonly Obstacle[]): Obstacle {
  const grants = obstacles.map((obstacle) => obstacle.grants);
  const known = grants.filter((each) => each !== undefined);
  return {
    reason: [...new Set(obstacles.map((obstacle) => obstacle.reason))].join('; '),
    rule: obstacles[0]?.rule ?? 'unknown-effect',
    ...(known.length === grants.length && { grants: known.flat() }),
  };
}

function isWritable(path: AbsolutePath, { sandboxMode, writableRoots }: JudgeContext): boolean {
  return sandboxMode === 'workspace-write' && writableRoots.some((root) => isInside(root, path));
}

function changesSomething(effect: Effect): boolean {
  return effect.kind !== 'read' && !(effect.kind === 'remote' && effect.readOnly && !effect.destructive);
}

function askOrDeny({ reason, rule, grants }: Obstacle, { approvalPolicy }: JudgeContext): Verdict {
  if (approvalPolicy !== 'never') {
    return { kind: 'ask', reason, rule: named(rule), confined: grants !== undefined, grants: grants ?? [] };
  }
  return {
    kind: 'deny',
    reason: `${reason}; rejected by user approval settings: the approval policy is never, so nobody can be asked.`,
    rule: named(rule),
  };
}

function allow(confined: boolean, rule: string): Verdict {
  return { kind: 'allow', confined, grants: [], rule: named(rule) };
}

function named(name: string): Rule {
  return { name };
}
