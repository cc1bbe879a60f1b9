/**
 * Refusals, in the words that models know, and one plain sentence on what would be allowed instead, so that none tries the
 * same thing in other ways.
 */
import { isPatch } from '../core/effects.js';
import type { Intent, Verdict } from '../core/effects.js';
import type { JudgeContext, Part } from './context.js';
import { isAllowed, isSafe, reasonsOf } from './questions.js';
import type { Question } from './questions.js';

type Refusal = Extract<Verdict, { kind: 'deny' }>;

/** A rule forbids a part of it. */
export function forbiddenBy(part: Part, parts: readonly Part[], context: JudgeContext): Refusal {
  const why = withoutDot(part.reason ?? 'blocked by policy');
  const reason = `\`${part.subject}\` rejected: ${why}. ${insteadOf(part, parts, context)}`;
  return { kind: 'deny', reason, rule: part.rule ?? { name: 'forbidden' } };
}

function insteadOf(part: Part, parts: readonly Part[], context: JudgeContext): string {
  const others = parts.filter((each) => each !== part && each.kind === 'command');
  if (others.length > 0 && others.every((each) => isAllowed(each) || isSafe(each))) {
    return 'The other commands may run without it.';
  }
  return `${ASK_FOR[part.kind]} ${allowedUnasked(context)}`;
}

const ASK_FOR: Readonly<Record<Part['kind'], string>> = {
  command: 'If it is needed, ask the user to run it.',
  read: 'If it is needed, ask the user for what it says.',
  write: 'If it must change, ask the user to change it.',
  connect: 'If something from there is needed, ask the user for it.',
  remote: 'If it is needed, ask the user.',
  type: 'If it is needed, ask the user to type it.',
  unclear: 'Say the same with plain commands.',
};

/** The model asked to leave the sandbox; only some policies let it ask at all. */
export function escalationRefused({ escalate }: Intent, context: JudgeContext): Refusal | undefined {
  const { approvalPolicy, sandboxMode, missing } = context;
  if (escalate === undefined || sandboxMode === 'danger-full-access' || missing.length > 0) return undefined;
  if (approvalPolicy !== 'never' && approvalPolicy !== 'on-failure') return undefined;
  const reason =
    `approval policy is ${approvalPolicy}; reject command — you cannot ask for escalated permissions if the ` +
    `approval policy is ${approvalPolicy}. Run it without asking for them.`;
  return { kind: 'deny', reason, rule: { name: 'escalation-requested' } };
}

export function sandboxMissing(context: JudgeContext): Refusal {
  const why = context.confinement.kind === 'none' ? `: ${context.confinement.reason}` : '';
  const reason = `sandbox could not start${why}; the settings ask for one. ${allowedUnasked(context)}`;
  return { kind: 'deny', reason, rule: { name: 'sandbox-required' } };
}

/** It would have to be asked, and nobody may be. */
export function nobodyToAsk(
  intent: Intent,
  [first, ...others]: readonly [Question, ...Question[]],
  context: JudgeContext,
): Refusal {
  const { part, rule } = first;
  const known = part
    ? `\`${part.subject}\` rejected: ${withoutDot(part.reason ?? 'blocked by policy')}; approval required by policy, but ` +
      'AskForApproval is set to Never. Use a safer approach.'
    : `${isPatch(intent) ? 'patch rejected: ' : ''}${reasonsOf([first, ...others])}; rejected by user approval settings: the approval policy is never, so nobody can be asked.`;
  return { kind: 'deny', reason: `${known} ${allowedUnasked(context)}`, rule };
}

/** What runs as things are without anybody being asked. */
export function allowedUnasked({
  approvalPolicy,
  sandboxMode,
  writableRoots,
  network,
  confinement,
}: JudgeContext): string {
  if (approvalPolicy === 'always' || approvalPolicy === 'untrusted') return 'Reading files is allowed.';
  if (sandboxMode === 'danger-full-access') return 'Commands that are not dangerous run without asking.';
  const commands = confinement.kind === 'available' && (confinement.weaker ?? []).length === 0;
  const reach = network ? '' : ' that need no network';
  if (sandboxMode === 'read-only') {
    return commands ? `Commands${reach} that only read are allowed.` : 'Reading files is allowed.';
  }
  const where = writableRoots.join(', ');
  return commands
    ? `Commands${reach} and changes inside ${where} are allowed.`
    : `Reading files, and changing those inside ${where}, is allowed.`;
}

function withoutDot(text: string): string {
  return text.replace(/\.$/, '');
}
