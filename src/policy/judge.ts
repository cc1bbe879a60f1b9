/**
 * What may run. A pure function of what a call would touch and of what the user set: the same answer when running,
 * explaining and testing. What it does not know, it does not allow.
 *
 * Each effect is taken apart (a script into its commands and files) and each part is judged by the user's rules and by
 * what is known of commands. Then: what a rule forbids is denied; what would have to be asked is asked, denied where
 * nobody may be asked, or allowed where a rule has given the answer for good; the rest runs as the sandbox mode says.
 */
import type { Effect, Finding, Grant, Intent, Permission, ProposedRule, Rule, Verdict } from '../core/effects.js';
import { allowedUnasked, sayInstead } from './instead.js';
import type { JudgeContext, Part, ShellReader } from './context.js';
import { judgeCommand } from './judge-command.js';
import { judgeHost, judgeRemote } from './judge-host.js';
import { judgePath } from './judge-path.js';
import { judgeTyping } from './judge-typing.js';
import { missingGrants, obstacleTo, permissionFor } from './obstacles.js';
import type { Obstacle } from './obstacles.js';
import { sessionKeys } from './session-keys.js';
import type { Segment } from '../shell/reading.js';

export function judge(intent: Intent, given: JudgeContext): Verdict {
  const context = { ...given, reader: readingOnce(given.reader) };
  const judged = intent.effects.map((effect) => ({ effect, parts: partsOf(effect, context) }));
  const missing = context.missing.map((grant) => ({ effect: grant, parts: grantParts(grant, context) }));
  const parts = [...judged, ...missing].flatMap((each) => each.parts);
  const findings = parts.map(shown);
  const forbidden = parts.find(({ decision }) => decision === 'deny');
  if (forbidden) return { ...deniedBy(forbidden, parts), findings };
  const refusal = context.missing.length === 0 ? escalationRefused(intent, context) : undefined;
  if (refusal) return { ...refusal, findings };
  const { questions, permission } =
    context.missing.length > 0 ? aboutMissing(judged, missing, context) : aboutFirst(intent, judged, context);
  const [first] = questions;
  if (first === undefined) return { kind: 'allow', ...permission, rule: ruleOf(parts, context), findings };
  if (context.approvalPolicy === 'never') return { ...nobodyToAsk(questions, first, context), findings };
  const reason = reasonsOf(questions);
  const proposal = proposalFor(questions, context);
  return {
    kind: 'ask',
    reason,
    rule: first.rule,
    ...permission,
    ...(proposal && { proposal }),
    keys: sessionKeys(intent, context),
    findings,
  };
}

/** A command line is looked at more than once. */
function readingOnce(reader: ShellReader): ShellReader {
  const read = new Map<readonly string[], Segment>();
  return {
    readArgv(argv, surroundings) {
      const segment = read.get(argv) ?? reader.readArgv(argv, surroundings);
      read.set(argv, segment);
      return segment;
    },
    readText: reader.readText,
  };
}

/** An effect with what is said to its parts. */
type Judged<About = Effect> = { readonly effect: About; readonly parts: readonly Part[] };

function partsOf(effect: Effect, context: JudgeContext): readonly Part[] {
  switch (effect.kind) {
    case 'read':
    case 'write':
      return [judgePath(effect.kind, effect.path, context)];
    case 'exec': {
      const { home, reader } = context;
      return judgeCommand(reader.readArgv(effect.argv, { cwd: effect.cwd, home }), context);
    }
    case 'type':
      return judgeTyping(effect, context);
    case 'connect':
      return [judgeHost(effect.host, context)];
    case 'remote':
      return [judgeRemote(effect, context)];
    default:
      return [{ kind: 'unclear', subject: 'an effect of an unknown kind', decision: 'neutral' }];
  }
}

function grantParts(grant: Grant, context: JudgeContext): readonly Part[] {
  return [grant.kind === 'connect' ? judgeHost(grant.host, context) : judgePath(grant.kind, grant.path, context)];
}

function shown({ kind, subject, decision, reason, rule }: Part): Finding {
  return { kind, subject, decision, ...(reason !== undefined && { reason }), ...(rule && { rule }) };
}

/** Something that has to be asked, and the rules that would have answered it; absent when none could. */
type Question = {
  readonly reason: string;
  readonly rule: Rule;
  readonly proposal?: readonly ProposedRule[] | undefined;
  /** The part that it is about, if it is about one alone. */
  readonly part?: Part;
};

type Asked = { readonly questions: readonly Question[]; readonly permission: Permission };

function aboutFirst(intent: Intent, judged: readonly Judged[], context: JudgeContext): Asked {
  const obstacles = judged.map((each) => ({ ...each, obstacle: obstacleTo(each.effect, context) }));
  const open = obstacles.filter((each) => !isCovered(each, context));
  const blocked = open.flatMap((each) => (each.obstacle ? [question(each.obstacle, each)] : []));
  const changing = open.filter(({ effect, parts }) => changesSomething(effect) && !parts.every(isSafe));
  const leaves = intent.escalate !== undefined && context.sandboxMode !== 'danger-full-access';
  return {
    questions: [
      ...judged.flatMap(prompts),
      ...(leaves && open.length > 0 ? [escalation(intent.escalate.reason, open)] : []),
      // Outside of the sandbox nothing stands in the way.
      ...(leaves ? [] : blocked),
      ...asksFirst(changing, context),
    ],
    permission: leaves || context.sandboxMode === 'danger-full-access' ? UNCONFINED : permissionWith(judged, obstacles),
  };
}

const UNCONFINED: Permission = { confined: false, grants: [] };

/** A rule may have said that its commands need no sandbox. */
function permissionWith(
  judged: readonly Judged[],
  obstacles: readonly { readonly obstacle: Obstacle | undefined }[],
): Permission {
  const commands = judged.filter(({ effect }) => effect.kind === 'exec');
  const free = commands.length > 0 && commands.every(({ parts }) => parts.every(({ unconfined }) => unconfined));
  return free ? UNCONFINED : permissionFor(obstacles.flatMap(({ obstacle }) => obstacle ?? []));
}

/** The first attempt was allowed; what is asked now is only what it lacked. */
function aboutMissing(judged: readonly Judged[], missing: readonly Judged<Grant>[], context: JudgeContext): Asked {
  const commandsCovered = judged.length > 0 && judged.every((each) => isCovered(each, context));
  const open = commandsCovered ? [] : missing.filter((each) => !isCovered(each, context));
  const grants = missing.map(({ effect }) => effect);
  const prompting = missing.flatMap(prompts);
  const asked = open.length === 0 ? [] : [question(missingGrants(open.map(({ effect }) => effect)), ...open)];
  return { questions: [...prompting, ...asked], permission: { confined: true, grants } };
}

/** Whether rules have said yes for good. The policy that always asks does not take that for an answer. */
function isCovered({ parts }: Judged<unknown>, { approvalPolicy }: JudgeContext): boolean {
  if (approvalPolicy === 'always') return false;
  return parts.some(isAllowed) && parts.every((part) => isAllowed(part) || isSafe(part));
}

function isAllowed({ decision }: Part): boolean {
  return decision === 'allow';
}

function isSafe({ decision }: Part): boolean {
  return decision === 'safe';
}

/** Questions about single parts: a rule prompts for it, or it is known to be dangerous. */
function prompts({ effect, parts }: Judged<Effect | Grant>): readonly Question[] {
  return parts
    .filter(({ decision }) => decision === 'ask')
    .map((part) => ({
      reason: `\`${part.subject}\`: ${part.reason ?? 'it needs an approval'}`,
      rule: part.rule ?? { name: 'prompt' },
      part,
      proposal: part.prompted ? undefined : ((part.proposal && [part.proposal]) ?? wholeCommand(effect)),
    }));
}

function question({ reason, rule }: Obstacle, ...about: readonly Judged<Effect | Grant>[]): Question {
  return { reason, rule: { name: rule }, proposal: rulesFor(about) };
}

function escalation(reason: string, open: readonly Judged[]): Question {
  const told = `the model asks to leave the sandbox and says ${JSON.stringify(reason)}`;
  return { reason: told, rule: { name: 'escalation-requested' }, proposal: rulesFor(open) };
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
      proposal: rulesFor(changing),
    },
  ];
}

function changesSomething(effect: Effect): boolean {
  return effect.kind !== 'read' && !(effect.kind === 'remote' && effect.readOnly && !effect.destructive);
}

/** The narrowest rules that would cover all of it; undefined when one part cannot be covered by any. */
function rulesFor(judged: readonly Judged<Effect | Grant>[]): readonly ProposedRule[] | undefined {
  const rules = judged.map(({ effect, parts }) => {
    const open = parts.filter((part) => !isAllowed(part) && !isSafe(part));
    const proposals = open.map(({ proposal }) => proposal);
    const known = proposals.filter((proposal) => proposal !== undefined);
    return known.length === proposals.length ? known : wholeCommand(effect);
  });
  const known = rules.filter((each) => each !== undefined);
  return known.length === rules.length ? known.flat() : undefined;
}

const LONGEST_RULE = 2_000;

/** A script that cannot be allowed command by command can still be allowed as it stands. */
function wholeCommand(effect: Effect | Grant): readonly ProposedRule[] | undefined {
  if (effect.kind !== 'exec' || effect.argv.join(' ').length > LONGEST_RULE) return undefined;
  return [{ kind: 'command', words: effect.argv, cwd: effect.cwd }];
}

function proposalFor(
  questions: readonly Question[],
  { approvalPolicy }: JudgeContext,
): readonly ProposedRule[] | undefined {
  if (approvalPolicy === 'always') return undefined;
  const rules = questions.map(({ proposal }) => proposal);
  const known = rules.filter((each) => each !== undefined);
  if (known.length < rules.length) return undefined;
  const distinct = new Map(known.flat().map((rule) => [JSON.stringify(rule), rule]));
  return distinct.size === 0 ? undefined : [...distinct.values()];
}

/** The model asked to leave the sandbox; only some policies let it ask at all. */
function escalationRefused({ escalate }: Intent, context: JudgeContext): Verdict | undefined {
  const { approvalPolicy, sandboxMode } = context;
  if (escalate === undefined || sandboxMode === 'danger-full-access') return undefined;
  if (approvalPolicy !== 'never' && approvalPolicy !== 'on-failure') return undefined;
  const reason =
    `approval policy is ${approvalPolicy}; reject command — you cannot ask for escalated permissions if the ` +
    `approval policy is ${approvalPolicy}. Run it without asking for them.`;
  return { kind: 'deny', reason, rule: { name: 'escalation-requested' } };
}

function deniedBy(part: Part, parts: readonly Part[]): Verdict {
  const rule = part.rule ?? { name: 'forbidden' };
  const reason = `\`${part.subject}\` rejected: ${withoutDot(part.reason ?? 'blocked by policy')}. ${sayInstead(part, parts)}`;
  return { kind: 'deny', reason, rule };
}

function withoutDot(text: string): string {
  return text.replace(/\.$/, '');
}

function nobodyToAsk(questions: readonly Question[], { part, rule }: Question, context: JudgeContext): Verdict {
  const known = part
    ? `\`${part.subject}\` rejected: ${withoutDot(part.reason ?? 'blocked by policy')}; approval required by policy, but ` +
      'AskForApproval is set to Never. Use a safer approach.'
    : `${reasonsOf(questions)}; rejected by user approval settings: the approval policy is never, so nobody can be asked.`;
  return { kind: 'deny', reason: `${known} ${allowedUnasked(context)}`, rule };
}

function reasonsOf(questions: readonly Question[]): string {
  return [...new Set(questions.map(({ reason }) => reason))].join('; ');
}

/** What decided that it may run: a rule if there is one, else what is known of it, else the mode. */
function ruleOf(parts: readonly Part[], { sandboxMode }: JudgeContext): Rule {
  const ruled = parts.find((part) => isAllowed(part) && part.rule);
  if (ruled?.rule) return ruled.rule;
  return { name: parts.length > 0 && parts.every(isSafe) ? 'known-safe' : sandboxMode };
}
