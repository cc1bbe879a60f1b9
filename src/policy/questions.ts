/** What has to be asked before a call may run, and how it would run after a yes. */
import type { Effect, Grant, Intent, Permission, ProposedRule, DecidingRule } from '../core/effects.js';
import type { JudgeContext, Part } from './context.js';
import { missingGrants, obstacleTo, permissionFor } from './obstacles.js';
import type { Obstacle } from './obstacles.js';
import { rulesCovering, wholeCommand } from './proposals.js';

/** An effect with what is said to its parts. */
export type Judged<About = Effect> = { readonly effect: About; readonly parts: readonly Part[] };

/** Something that has to be asked, and the rules that would have answered it; absent when none could. */
export type Question = {
  readonly reason: string;
  readonly rule: DecidingRule;
  readonly proposal?: readonly ProposedRule[] | undefined;
  /** The part that it is about, if it is about one alone. */
  readonly part?: Part;
};

export type Asked = { readonly questions: readonly Question[]; readonly permission: Permission };

/** `missing` are the rights that a first attempt was proven to lack. */
export function questionsAbout(
  intent: Intent,
  judged: readonly Judged[],
  missing: readonly Judged<Grant>[],
  context: JudgeContext,
): Asked {
  return missing.length > 0 ? aboutMissing(missing, context) : aboutFirst(intent, judged, context);
}

export function reasonsOf(questions: readonly Question[]): string {
  return [...new Set(questions.map(({ reason }) => reason))].join('; ');
}

function aboutFirst(intent: Intent, judged: readonly Judged[], context: JudgeContext): Asked {
  const isFree = context.sandboxMode === 'danger-full-access';
  const leaving = isFree ? undefined : intent.escalate;
  const obstacles = judged.map((each) => ({ ...each, obstacle: obstacleTo(each.effect, context) }));
  const open = obstacles.filter((each) => !isCovered(each, context));
  const blocked = open.flatMap((each) => (each.obstacle ? [question(each.obstacle, [each])] : []));
  const changing = open.filter(({ effect, parts }) => changesSomething(effect) && !parts.every(isSafe));
  return {
    questions: [
      ...judged.flatMap(prompts),
      // Outside of the sandbox nothing else stands in the way.
      ...(leaving ? escalation(leaving.reason, open) : blocked),
      ...asksFirst(changing, context),
    ],
    permission: isFree || leaving ? UNCONFINED : permissionWith(judged, obstacles),
  };
}

const UNCONFINED: Permission = { confined: false, grants: [] };

/** A rule may have said that its commands need no sandbox. */
function permissionWith(
  judged: readonly Judged[],
  obstacles: readonly { readonly obstacle: Obstacle | undefined }[],
): Permission {
  const commands = judged.filter(({ effect }) => effect.kind === 'exec');
  const free = commands.length > 0 && commands.every(({ parts }) => needsNoSandbox(parts));
  return free ? UNCONFINED : permissionFor(obstacles.flatMap(({ obstacle }) => obstacle ?? []));
}

/** What is safe beside it, such as `| head`, makes no difference. */
function needsNoSandbox(parts: readonly Part[]): boolean {
  const others = parts.filter((part) => !isSafe(part));
  return others.length > 0 && others.every(({ unconfined }) => unconfined);
}

/**
 * The first attempt was allowed; what is asked now is only what it lacked. That a command is allowed says nothing to this:
 * which rights it lacks is told by what it tried and printed.
 */
function aboutMissing(missing: readonly Judged<Grant>[], context: JudgeContext): Asked {
  const open = missing.filter((each) => !isCovered(each, context));
  const grants = missing.map(({ effect }) => effect);
  const asked = open.length === 0 ? [] : [question(missingGrants(open.map(({ effect }) => effect)), open)];
  return { questions: [...missing.flatMap(prompts), ...asked], permission: { confined: true, grants } };
}

/** Whether rules have said yes for good. The policy that always asks does not take that for an answer. */
function isCovered({ effect, parts }: Judged<Effect | Grant>, { approvalPolicy }: JudgeContext): boolean {
  if (approvalPolicy === 'always' || !parts.every((part) => isAllowed(part) || isSafe(part))) return false;
  // A file or host that is allowed does not allow the program that uses it.
  return parts.some((part) => isAllowed(part) && (effect.kind !== 'exec' || part.kind === 'command'));
}

export function isAllowed({ decision }: Part): boolean {
  return decision === 'allow';
}

export function isSafe({ decision }: Part): boolean {
  return decision === 'safe';
}

/** Questions about single parts: a rule prompts for it, or it is known to be dangerous. */
function prompts({ effect, parts }: Judged<Effect | Grant>): readonly Question[] {
  return parts
    .filter(({ decision }) => decision === 'ask')
    .map((part) => ({
      reason: `\`${part.subject}\`: ${part.reason ?? 'it needs an approval'}`,
      rule: part.rule ?? { name: 'prompt' },
      proposal: part.prompted ? undefined : (part.proposals ?? wholeCommand(effect)),
      part,
    }));
}

function question({ reason, rule }: Obstacle, about: readonly Judged<Effect | Grant>[]): Question {
  return { reason, rule: { name: rule }, proposal: rulesCovering(about) };
}

function escalation(reason: string, open: readonly Judged[]): readonly Question[] {
  if (open.length === 0) return [];
  const told = `the model asks to leave the sandbox and says ${JSON.stringify(reason)}`;
  return [{ reason: told, rule: { name: 'escalation-requested' }, proposal: rulesCovering(open) }];
}

/** Policies that ask before every change, wherever it would run. */
function asksFirst(changing: readonly Judged[], { approvalPolicy }: JudgeContext): readonly Question[] {
  if (changing.length === 0 || (approvalPolicy !== 'always' && approvalPolicy !== 'untrusted')) return [];
  const what =
    approvalPolicy === 'always' ? 'anything that changes something' : 'anything that is not known to be safe';
  return [
    {
      reason: `the approval policy "${approvalPolicy}" asks before ${what}`,
      rule: { name: `approval-policy-${approvalPolicy}` },
      proposal: rulesCovering(changing),
    },
  ];
}

function changesSomething(effect: Effect): boolean {
  return effect.kind !== 'read' && !(effect.kind === 'remote' && effect.readOnly && !effect.destructive);
}
