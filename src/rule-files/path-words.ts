/** Paths as people write them in rules: `~` is their home, and what is relative belongs to the project's folder. */
import path from 'node:path';

import type { AbsolutePath } from '../core/paths.js';
import { literalPattern } from '../rules/path-pattern.js';
import { WrongRule } from './wrong-rule.js';

export type Places = {
  /** What `~` stands for. */
  readonly home: string;
  /** What relative paths are relative to; without it there can be none. */
  readonly base?: string;
};

export function writtenPath(text: string, { home, base }: Places): AbsolutePath {
  return path.resolve(located(text, home, base)) as AbsolutePath;
}

const LONGEST_PATTERN = 10_000;

/** An absolute pattern. What comes from the places is literal, whatever characters it has. */
export function writtenPattern(text: string, { home, base }: Places): string {
  if (text.length > LONGEST_PATTERN) throw new WrongRule(`a pattern may have ${LONGEST_PATTERN} characters at most`);
  if (text.startsWith('!')) throw new WrongRule(`\`${text}\` cannot be negated; write a rule of its own, or \`[!]…\``);
  if (/^\{(?:[^]*,)?[/~]/.test(text)) {
    throw new WrongRule(`\`${text}\` must begin with the folder that its alternatives share`);
  }
  if (/^\*\*+(?:\/|$)/.test(text)) return path.posix.normalize(`/${text}`);
  return path.posix.normalize(located(text, literalPattern(home), base === undefined ? base : literalPattern(base)));
}

function located(text: string, home: string, base: string | undefined): string {
  if (text === '~' || text.startsWith('~/')) return `${home}${text.slice(1)}`;
  if (text.startsWith('~')) {
    throw new WrongRule(`the home of somebody else is not known in \`${text}\`; write the whole path`);
  }
  if (path.isAbsolute(text)) return text;
  if (base === undefined) {
    throw new WrongRule(`\`${text}\` is relative; begin it with \`/\` or \`~/\`, as these rules belong to no project`);
  }
  return `${base}/${text}`;
}
