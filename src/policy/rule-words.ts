/** A rule of the user's as a verdict names it. */
import type { Finding, Rule as NamedRule } from '../core/effects.js';
import { commandLine } from '../shell/command-line.js';
import type { Rule, RuleDecision } from '../rules/rules.js';

export function named(rule: Rule): NamedRule {
  const { file, line, justification } = rule;
  return { name: `${rule.kind} ${subjectOf(rule)}`, file, line, ...(justification !== undefined && { justification }) };
}

const DECISIONS: Readonly<Record<RuleDecision, Finding['decision']>> = {
  allow: 'allow',
  prompt: 'ask',
  forbidden: 'deny',
};

export function decisionOf({ decision }: Rule): Finding['decision'] {
  return DECISIONS[decision];
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
export function reasonOf(rule: Rule): string {
  if (rule.justification !== undefined) return rule.justification;
  const verb = rule.decision === 'forbidden' ? 'forbids' : rule.decision === 'prompt' ? 'asks about' : 'allows';
  return `policy ${verb} ${WHAT[rule.kind]} ${subjectOf(rule)}`;
}

const WHAT: Readonly<Record<Rule['kind'], string>> = {
  command: 'commands starting with',
  path: 'the files',
  host: 'connections to',
  mcp: 'the MCP tools',
  typed: 'typing',
};

function subjectOf(rule: Rule): string {
  switch (rule.kind) {
    case 'command':
      return `\`${rule.pattern.map((place) => (place.length === 1 ? commandLine(place) : place.join('|'))).join(' ')}\``;
    case 'path':
      return `${rule.access} ${rule.patterns.join(', ')}`;
    case 'host':
      return rule.hosts.join(', ');
    case 'mcp':
      return rule.tools.join(', ');
    case 'typed':
      return rule.text.join(', ');
  }
}
