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
  if (context.missing.length > 0) return askOrDeny(context, missingReason(context.missing), 'missing-grant', true);
  if (context.sandboxMode === 'danger-full-access') return judgeUnconfined(intent, context);
  if (intent.escalate) return judgeEscalation(intent.escalate.reason, context);
  const obstacle = intent.effects.map((effect) => obstacleTo(effect, context)).find((found) => found !== undefined);
  if (obstacle) return askOrDeny(context, obstacle.reason, obstacle.rule, false);
  return asksFirst(intent, context) ?? { kind: 'allow', confined: true, rule: named(context.sandboxMode) };
}

/** Without a sandbox the policy alone stands between the model and the machine. */
function judgeUnconfined(intent: Intent, context: JudgeContext): Verdict {
  return asksFirst(intent, context) ?? { kind: 'allow', confined: false, rule: named('danger-full-access') };
}

/** The model asked to leave the sandbox; only some policies let it ask at all. */
function judgeEscalation(reason: string, context: JudgeContext): Verdict {
  const { approvalPolicy } = context;
  if (approvalPolicy !== 'never' && approvalPolicy !== 'on-failure') {
    return { kind: 'ask', reason, rule: named('escalation-requested'), thenConfined: false };
  }
  return {
    kind: 'deny',
    reason:
      `approval policy is ${approvalPolicy}; reject command — you cannot ask for escalated permissions if the ` +
      `approval policy is ${approvalPolicy}. Run it without asking for them.`,
    rule: named('escalation-requested'),
  };
}

/** Policies that ask before every change, wherever it would run. */
function asksFirst(intent: Intent, context: JudgeContext): Verdict | undefined {
  const { approvalPolicy, sandboxMode } = context;
  if (approvalPolicy !== 'always' && approvalPolicy !== 'untrusted') return undefined;
  if (!intent.effects.some(changesSomething)) return undefined;
  const reason = `the approval policy "${approvalPolicy}" asks before anything that changes something`;
  return {
    kind: 'ask',
    reason,
    rule: named(`approval-policy-${approvalPolicy}`),
    thenConfined: sandboxMode !== 'danger-full-access',
  };
}

type Obstacle = { readonly reason: string; readonly rule: string };

/** Why this effect cannot simply run inside the sandbox, if there is a reason. */
function obstacleTo(effect: Effect, context: JudgeContext): Obstacle | undefined {
  switch (effect.kind) {
    case 'read':
      return undefined;
    case 'write':
      return isWritable(effect.path, context)
        ? undefined
        : { reason: `writing outside of the project: ${effect.path}`, rule: 'outside-writable-roots' };
    case 'exec':
    case 'type':
      return context.confinement.kind === 'available'
        ? undefined
        : { reason: `sandbox could not start: ${context.confinement.reason}`, rule: 'no-sandbox' };
    case 'connect':
      return context.network ? undefined : { reason: `network access to ${effect.host}`, rule: 'network-off' };
    case 'remote':
      return effect.readOnly && !effect.destructive
        ? undefined
        : {
            reason: `${effect.server}/${effect.tool} may change something outside of the sandbox`,
            rule: 'remote-change',
          };
    default:
      return { reason: 'the call would do something this policy does not know', rule: 'unknown-effect' };
  }
}

function isWritable(path: AbsolutePath, { sandboxMode, writableRoots }: JudgeContext): boolean {
  return sandboxMode === 'workspace-write' && writableRoots.some((root) => isInside(root, path));
}

function changesSomething(effect: Effect): boolean {
  return effect.kind !== 'read' && !(effect.kind === 'remote' && effect.readOnly && !effect.destructive);
}

function askOrDeny(context: JudgeContext, reason: string, rule: string, thenConfined: boolean): Verdict {
  if (context.approvalPolicy !== 'never') return { kind: 'ask', reason, rule: named(rule), thenConfined };
  return {
    kind: 'deny',
    reason: `${reason}; rejected by user approval settings: the approval policy is never, so nobody can be asked.`,
    rule: named(rule),
  };
}

function missingReason(missing: readonly Grant[]): string {
  const wanted = missing.map((grant) =>
    grant.kind === 'connect' ? `connect to ${grant.host}` : `${grant.kind} ${grant.path}`,
  );
  return `the sandbox blocked this: ${wanted.join(', ')}. Retry with just that allowed?`;
}

function named(name: string): Rule {
  return { name };
}
