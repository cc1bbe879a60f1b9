/** A rule of the user's as a verdict names it. */
import type { Finding, DecidingRule } from '../core/effects.js';
import type { Part } from './context.js';
import { commandLine } from '../shell/command-line.js';
import type { Rule, RuleDecision } from '../rules/rules.js';

export function named(rule: Rule): DecidingRule {
  const { file, line, justification } = rule;
  return {
    name: `${rule.kind === 'path' ? rule.access : rule.kind} ${subjectOf(rule)}`,
    file,
    line,
    ...(justification !== undefined && { justification }),
  };
}

const DECISIONS: Readonly<Record<RuleDecision, Finding['decision']>> = {
  allow: 'allow',
  prompt: 'ask',
  forbidden: 'deny',
};

/** What follows from a rule for a part that it holds for. */
export type Said = Pick<Part, 'decision' | 'reason' | 'rule' | 'prompted'>;

export function saidBy(rule: Rule): Said {
  const decision = DECISIONS[rule.decision];
  return { decision, reason: reasonOf(rule), rule: named(rule), ...(decision === 'ask' && { prompted: true }) };
}

/** What follows from a rule that restricts when only the run will tell whether it holds. */
export function perhapsSaidBy(rule: Rule): Said {
  const reason = `it cannot be told whether a rule holds: ${reasonOf(rule)}`;
  return { decision: 'ask', prompted: true, reason, rule: named(rule) };
}

export function restricts({ decision }: Rule): boolean {
  return decision !== 'allow';
}

const STRICTNESS: readonly RuleDecision[] = ['forbidden', 'prompt', 'allow'];

/** The strictest wins; of several alike, the first that was written. */
export function strictest<R extends Rule>(rules: readonly R[]): R | undefined {
  for (const decision of STRICTNESS) {
    const found = rules.find((rule) => rule.decision === decision);
    if (found) return found;
  }
  return undefined;
}

/** Why, in the words of whoever wrote the rule if there are any. */
function reasonOf(rule: Rule): string {
  return rule.justification ?? `policy ${VERBS[rule.decision]} ${whatOf(rule)} ${subjectOf(rule)}`;
}

const VERBS: Readonly<Record<RuleDecision, string>> = { allow: 'allows', prompt: 'asks about', forbidden: 'forbids' };

function whatOf(rule: Rule): string {
  switch (rule.kind) {
    case 'command':
      return rule.exact ? 'the command' : 'commands starting with';
    case 'path':
      return rule.access === 'read' ? 'reading' : 'writing';
    case 'host':
      return 'connections to';
    case 'mcp':
      return 'the MCP tool';
    case 'typed':
      return 'typing';
  }
}

function subjectOf(rule: Rule): string {
  switch (rule.kind) {
    case 'command':
      return `\`${rule.pattern.map((place) => (place.length === 1 ? commandLine(place) : place.join('|'))).join(' ')}\``;
    case 'path':
      return rule.patterns.join(', ');
    case 'host':
      return rule.hosts.join(', ');
    case 'mcp':
      return rule.tools.join(', ');
    case 'typed':
      return rule.text.join(', ');
  }
}
