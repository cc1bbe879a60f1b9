/** What the rules say to hosts, and to the tools of MCP servers. */
import type { Effect } from '../core/effects.js';
import { holdsHosts } from './context.js';
import type { JudgeContext, Part } from './context.js';
import { saidBy, strictest } from './rule-words.js';

export function judgeHost(host: string, { rules }: JudgeContext): Part {
  const rule = strictest(rules.hosts(host));
  const about = { kind: 'connect', subject: host } as const;
  return rule ? { ...about, ...saidBy(rule) } : { ...about, decision: 'neutral', proposals: [{ kind: 'host', host }] };
}

/** Which host only the run will tell. */
export function unknownHost(subject: string, context: JudgeContext): Part {
  const about = { kind: 'connect', subject } as const;
  if (!context.rules.restrictsHosts || holdsHosts(context)) return { ...about, decision: 'neutral' };
  return { ...about, decision: 'ask', prompted: true, reason: UNKNOWN_HOST, rule: { name: 'unclear-host' } };
}

const UNKNOWN_HOST = 'it may speak to any host, so it cannot be told whether a rule holds';

type Remote = Extract<Effect, { kind: 'remote' }>;

/** Only rules that restrict its host count: a host that is allowed does not allow a tool. */
export function judgeRemote(effect: Remote, context: JudgeContext): readonly Part[] {
  const { host } = effect;
  const place = host === undefined ? [] : [judgeHost(host, context)];
  const restricted = place.filter(({ decision }) => decision === 'deny' || decision === 'ask');
  return [judgeRemoteTool(effect, context), ...restricted];
}

function judgeRemoteTool(effect: Remote, { rules }: JudgeContext): Part {
  const { server, tool, readOnly, destructive } = effect;
  const rule = strictest(rules.mcp(server, tool));
  const about = { kind: 'remote', subject: `${server}/${tool}` } as const;
  if (rule) return { ...about, ...saidBy(rule) };
  const decision = readOnly && !destructive ? 'safe' : 'neutral';
  return { ...about, decision, proposals: [{ kind: 'mcp', server, tool }] };
}
