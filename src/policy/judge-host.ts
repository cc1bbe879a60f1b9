/** What the rules say to hosts, and to the tools of MCP servers. */
import type { Effect } from '../core/effects.js';
import type { JudgeContext, Part } from './context.js';
import { decisionOf, named, reasonOf, strictest } from './rule-words.js';
import type { Rule } from '../rules/rules.js';

export function judgeHost(host: string, { rules }: JudgeContext): Part {
  const about: Part = { kind: 'connect', subject: host, decision: 'neutral', proposal: { kind: 'host', host } };
  return withRule(about, strictest(rules.hosts(host)));
}

export function judgeRemote(effect: Extract<Effect, { kind: 'remote' }>, { rules }: JudgeContext): Part {
  const { server, tool, readOnly, destructive } = effect;
  const about: Part = {
    kind: 'remote',
    subject: `${server}/${tool}`,
    decision: readOnly && !destructive ? 'safe' : 'neutral',
    proposal: { kind: 'mcp', server, tool },
  };
  return withRule(about, strictest(rules.mcp(server, tool)));
}

/** A rule has the last word on what it is about. */
export function withRule(part: Part, rule: Rule | undefined): Part {
  if (rule === undefined) return part;
  const { kind, subject } = part;
  const decision = decisionOf(rule);
  return {
    kind,
    subject,
    decision,
    reason: reasonOf(rule),
    rule: named(rule),
    ...(decision === 'ask' && { prompted: true }),
  };
}
