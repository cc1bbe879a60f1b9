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

/** One folder, which stands for all that is below it. */
export function writtenFolder(text: string, places: Places): AbsolutePath {
  if (!/[*?]/.test(text)) return writtenPath(text, places);
  throw new WrongRule(`\`${text}\` must be one folder, which stands for all below it; write it without wildcards`);
}

const LONGEST_PATTERN = 10_000;

/** An absolute pattern. What comes from the places is literal, whatever characters it has. */
export function writtenPattern(text: string, { home, base }: Places): string {
  if (text.length > LONGEST_PATTERN) throw new WrongRule(`a pattern may have ${LONGEST_PATTERN} characters at most`);
  if (text.startsWith('!')) throw new WrongRule(`\`${text}\` cannot be negated; write a rule of its own, or \`[!]…\``);
  if (/^\{(?:[^]*,)?[/~]/.test(text)) {
    throw new WrongRule(`\`${text}\` must begin with the folder that its alternatives share`);
  }
  if (/[*?[{].*\/\.\.(?:[/,}]|$)/s.test(text)) {
    throw new WrongRule(`\`${text}\` goes up behind a wildcard; write where it leads to`);
  }
  for (const set of text.match(/\[!?[^\]/]+\]/gu) ?? []) checkRanges(set, text);
  if (/^\*\*+(?:\/|$)/.test(text)) return path.posix.normalize(`/${text}`);
  return path.posix.normalize(located(text, literalPattern(home), base === undefined ? base : literalPattern(base)));
}

function checkRanges(set: string, text: string): void {
  for (const [range, from = '', to = ''] of set.replace(/^\[!?|\]$/g, '').matchAll(/([^])-([^])|[^]/gu)) {
    if (from > to) throw new WrongRule(`\`${range}\` in \`${text}\` holds nothing; write \`${to}-${from}\``);
  }
}

function located(text: string, home: string, base: string | undefined): string {
  if (text === '~' || text.startsWith('~/')) return `${home}${text.slice(1)}`;
  if (text.startsWith('~')) {
    throw new WrongRule(`the home of somebody else is not known in \`${text}\`; write the whole path`);
  }
  if (text.startsWith('$')) {
    throw new WrongRule(`\`${text}\` begins with a variable, which is not looked up; write \`~/…\` or the whole path`);
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) throw new WrongRule(`\`${text}\` is a URL; write the path alone`);
  if (path.isAbsolute(text)) return text;
  if (base === undefined) {
    throw new WrongRule(`\`${text}\` is relative; begin it with \`/\` or \`~/\`, as these rules belong to no project`);
  }
  return `${base}/${text}`;
}
