/**
 * Absolute patterns for files. One that names a folder holds for everything below it, too, so `/a`, `/a/` and `/a/**`
 * are the same. Paths are compared as they are spelled: links are the caller's matter.
 */
import path from 'node:path';

import { foldCase } from './fold-case.js';
import { buildAutomaton, literalsOf, walk } from './path-automaton.js';
import type { Automaton } from './path-automaton.js';

export interface PathPattern {
  /** Whether it holds for a path: it names it or a folder above it. */
  covers(target: string): boolean;
  /** Whether it may hold for a path that begins like this. */
  mayCover(beginning: string): boolean;
  /** Whether it names one file or folder, without wildcards, and this lies in `folder`. */
  liesIn(folder: string): boolean;
  /** That one file or folder; undefined when it has wildcards. */
  readonly names: string | undefined;
}

export function compilePathPattern(pattern: string, options: { readonly foldCase: boolean }): PathPattern {
  const fold = options.foldCase ? foldCase : (text: string) => text;
  const named = withoutTail(options.foldCase ? pattern.normalize('NFC') : pattern);
  const { beginning: own, ending, plain } = literalsOf(named, options.foldCase);
  let automaton: Automaton | undefined;
  const walked = (text: string) => walk((automaton ??= buildAutomaton(named, options.foldCase)), text);
  const spell = (text: string) => fold(slashed(path.normalize(text)));
  return {
    covers(target) {
      const text = withoutFinalSlash(spell(target));
      if (plain) return isBelow(own, text);
      return text.startsWith(own) && text.includes(ending) && walked(text) === 'covered';
    },
    mayCover(beginning) {
      if (!path.isAbsolute(beginning)) return true;
      const text = spell(beginning);
      if (plain) return own.startsWith(text) || isBelow(own, withoutFinalSlash(text));
      return (text.startsWith(own) || own.startsWith(text)) && walked(text) !== 'none';
    },
    names: plain ? own || '/' : undefined,
    liesIn: (folder) => plain && isBelow(withoutFinalSlash(spell(folder)), own),
  };
}

/** A pattern that holds for this path, whatever characters it has, and what is below it. */
export function literalPattern(target: string): string {
  return slashed(target).replace(/[*?[{]/g, '[$&]');
}

/** Patterns are written with slashes on every system. */
function slashed(text: string): string {
  return path.sep === '/' ? text : text.replaceAll(path.sep, '/');
}

/** What is below is covered anyway. */
function withoutTail(pattern: string): string {
  let end = pattern.length;
  for (;;) {
    const slash = pattern.lastIndexOf('/', end - 1);
    if (end === 0 || slash === -1 || !/^(?:\*{2,})?$/.test(pattern.slice(slash + 1, end))) return pattern.slice(0, end);
    end = slash;
  }
}

/** The root becomes the empty text, above all that begins with a slash. */
function withoutFinalSlash(text: string): string {
  return text.endsWith('/') ? text.slice(0, -1) : text;
}

function isBelow(folder: string, text: string): boolean {
  return text.startsWith(folder) && (text.length === folder.length || text[folder.length] === '/');
}
