/** A proposed rule as the TOML that is saved for it, and that a person is shown. */
import type { ProposedRule } from '../core/effects.js';
import { ConfigError } from '../core/errors.js';
import { literalPattern } from '../rules/path-pattern.js';

/** Throws a `ConfigError` when no rule could be written that holds for this and for nothing else. */
export function ruleText(proposed: ProposedRule): string {
  return `${linesOf(proposed).join('\n')}\ndecision = "allow"\n`;
}

function linesOf(proposed: ProposedRule): readonly string[] {
  switch (proposed.kind) {
    case 'command': {
      const pattern = proposed.words.map(quoted).join(', ');
      return ['[[command]]', `pattern = [${pattern}]`, 'exact = true', `cwd = ${quoted(proposed.cwd)}`];
    }
    case 'read':
    case 'write':
      return ['[[path]]', `${proposed.kind} = [${quoted(literalPattern(proposed.path))}]`];
    case 'host':
      return ['[[host]]', `host = [${quoted(literal(proposed.host, /\*/))}]`];
    case 'mcp': {
      const server = literal(proposed.server, /[*/]/);
      return ['[[mcp]]', `tool = [${quoted(`${server}/${literal(proposed.tool, /\*/)}`)}]`];
    }
  }
}

/** TOML's texts are JSON's, but for one character that JSON leaves as it is. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('\u007F', '\\u007F');
}

function literal(text: string, special: RegExp): string {
  if (!special.test(text)) return text;
  throw new ConfigError(`no rule can be saved for ${JSON.stringify(text)}: a character in it has a meaning in rules`);
}
