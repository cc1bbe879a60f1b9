/** What a call would do, and what a rule would allow for good, in words for a person. */
import type { Effect, Grant, ProposedRule } from '../index.js';

export function describeEffect(effect: Effect): string {
  switch (effect.kind) {
    case 'exec':
      return `runs ${JSON.stringify(effect.argv)} in ${oneLine(effect.cwd)}`;
    case 'read':
    case 'write':
      return `${effect.kind}s ${oneLine(effect.path)}`;
    case 'connect':
      return `connects to ${oneLine(effect.host)}`;
    case 'type':
      return `types ${JSON.stringify(effect.text)} into session ${effect.session}`;
    case 'remote':
      return `calls ${oneLine(`${effect.server}/${effect.tool}`)}`;
  }
}

export function describeGrant(grant: Grant): string {
  return grant.kind === 'connect' ? `connect to ${oneLine(grant.host)}` : `${grant.kind} ${oneLine(grant.path)}`;
}

/** One line, whatever stands in a name. */
export function describeRule(rule: ProposedRule): string {
  switch (rule.kind) {
    case 'command':
      return `run exactly ${commandWords(rule.words)} in ${oneLine(rule.cwd)} and below`;
    case 'read':
    case 'write':
      return `${rule.kind} ${oneLine(rule.path)}`;
    case 'host':
      return `connect to ${oneLine(rule.host)}`;
    case 'mcp':
      return `use ${oneLine(`${rule.server}/${rule.tool}`)}`;
  }
}

/** As they would be typed, unless that could be read as other words. */
function commandWords(words: readonly string[]): string {
  const plain = words.every((word) => /^[^\s"'\\]+$/.test(word));
  return plain ? `"${words.join(' ')}"` : JSON.stringify(words);
}

/** As it is, unless it could pass for more lines than one. */
export function oneLine(text: string): string {
  return /[\r\n"\\]/.test(text) ? JSON.stringify(text) : text;
}
