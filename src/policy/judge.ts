/**
 * What may run. A pure function of what a call would touch and of what the user set: the same answer when running,
 * explaining and testing. What it does not know, it does not allow.
 *
 * Each effect is taken apart (a script into its commands and files) and each part is judged by the user's rules and by
 * what is known of commands. Then: what a rule forbids is denied; what would have to be asked is asked, denied where
 * nobody may be asked, or allowed where a rule has given the answer for good; the rest runs as the sandbox mode says.
 */
import type { Effect, Finding, Grant, Intent, DecidingRule, Verdict } from '../core/effects.js';
import type { AbsolutePath } from '../core/paths.js';
import type { JudgeContext, Part } from './context.js';
import { judgeCommand } from './judge-command.js';
import { judgeHost, judgeRemote } from './judge-host.js';
import { judgePath } from './judge-path.js';
import { judgeTyping } from './judge-typing.js';
import { WEAKER } from './obstacles.js';
import { proposalFor } from './proposals.js';
import { isAllowed, isSafe, questionsAbout, reasonsOf } from './questions.js';
import type { Judged } from './questions.js';
import { allowedUnasked, escalationRefused, forbiddenBy, nobodyToAsk, sandboxMissing } from './refusals.js';
import { sessionKeys } from './session-keys.js';

export function judge(intent: Intent, given: JudgeContext): Verdict {
  const context = { ...given, leaving: intent.escalate !== undefined, realPath: onceEach(given.realPath) };
  const judged = intent.effects.map((effect) => ({ effect, parts: partsOf(effect, context) }));
  const missing = context.missing.map((grant) => ({ effect: grant, parts: grantParts(grant, context) }));
  const parts = [...judged, ...missing].flatMap((each) => each.parts);
  return { ...decide({ intent, judged, missing, parts }, context), findings: findingsOf(parts) };
}

/** A call taken apart. */
type Subject = {
  readonly intent: Intent;
  readonly judged: readonly Judged[];
  readonly missing: readonly Judged<Grant>[];
  readonly parts: readonly Part[];
};

function decide({ intent, judged, missing, parts }: Subject, context: JudgeContext): Verdict {
  const forbidden = parts.find(({ decision }) => decision === 'deny');
  if (forbidden) return forbiddenBy(forbidden, parts, context);
  const refused = escalationRefused(intent, context);
  if (refused) return refused;
  const { questions, permission } = questionsAbout(intent, judged, missing, context);
  if (context.sandboxRequired && !permission.confined && intent.effects.some(runsCommands)) {
    return sandboxMissing(context);
  }
  const [first, ...others] = questions;
  if (first === undefined) {
    return { kind: 'allow', ...permission, rule: ruleOf(parts, context), ...(isAllSafe(parts) && { harmless: true }) };
  }
  if (context.approvalPolicy === 'never') return nobodyToAsk(intent, [first, ...others], context);
  const proposal = proposalFor(questions, context);
  return {
    kind: 'ask',
    reason: reasonsOf(questions),
    rule: first.rule,
    ...permission,
    ...(proposal && { proposal }),
    keys: questions.every(({ rule }) => rule.name === WEAKER) ? [WEAKER] : sessionKeys(intent, context),
    instead: allowedUnasked(context),
  };
}

function runsCommands({ kind }: Effect): boolean {
  return kind === 'exec' || kind === 'type';
}

/** The words of a command may name the same files many times. */
function onceEach(realPath: JudgeContext['realPath']): JudgeContext['realPath'] {
  const known = new Map<string, AbsolutePath>();
  return (file) => {
    const real = known.get(file) ?? realPath(file);
    known.set(file, real);
    return real;
  };
}

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
      return judgeRemote(effect, context);
    default:
      return [{ kind: 'unclear', subject: 'an effect of an unknown kind', decision: 'neutral' }];
  }
}

function grantParts(grant: Grant, context: JudgeContext): readonly Part[] {
  return [grant.kind === 'connect' ? judgeHost(grant.host, context) : judgePath(grant.kind, grant.path, context)];
}

const MOST_FINDINGS = 200;

/** Of very many parts, only the first and those that matter are told. */
function findingsOf(parts: readonly Part[]): readonly Finding[] {
  const told = parts.filter(({ decision }, at) => at < MOST_FINDINGS || decision === 'deny' || decision === 'ask');
  const findings = told.slice(0, 2 * MOST_FINDINGS).map(shown);
  const left = parts.length - findings.length;
  return left === 0 ? findings : [...findings, { kind: 'unclear', subject: `and ${left} more`, decision: 'neutral' }];
}

function shown({ kind, subject, decision, reason, rule }: Part): Finding {
  return { kind, subject, decision, ...(reason !== undefined && { reason }), ...(rule && { rule }) };
}

/** What decided that it may run: a rule if there is one, else what is known of it, else the mode. */
function ruleOf(parts: readonly Part[], { sandboxMode }: JudgeContext): DecidingRule {
  const ruled = parts.find((part) => isAllowed(part) && part.rule);
  if (ruled?.rule) return ruled.rule;
  return { name: isAllSafe(parts) ? 'known-safe' : sandboxMode };
}

function isAllSafe(parts: readonly Part[]): boolean {
  return parts.length > 0 && parts.every(isSafe);
}
