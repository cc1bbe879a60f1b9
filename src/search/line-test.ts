/** A pattern as a test of texts, for where ripgrep cannot be had. What takes too long is given up. */
import vm from 'node:vm';

import { messageOf } from '../core/errors.js';
import type { SearchRequest } from './found.js';

/** A pattern can be made to take for ever; nothing else runs meanwhile. */
const LONGEST_MS = 1_000;

export type Search =
  | { readonly kind: 'works'; readonly regex: RegExp }
  /** In the words that its reader has for what is wrong with it. */
  | { readonly kind: 'broken'; readonly reason: string };

export function compilePattern({ pattern, literal, caseSensitive }: SearchRequest): Search {
  const [, options = '', rest = pattern] = literal ? [] : (/^\(\?([ims]+)\)([^]*)$/.exec(pattern) ?? []);
  const source = literal ? pattern.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&') : rest;
  const insensitive = caseSensitive && !options.includes('i') ? '' : 'i';
  const flags = `gm${insensitive}${options.includes('s') ? 's' : ''}`;
  try {
    return { kind: 'works', regex: unicodeIfPossible(source, flags) };
  } catch (error) {
    return { kind: 'broken', reason: messageOf(error) };
  }
}

/** Some patterns are right only where escapes without meaning are. */
function unicodeIfPossible(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    return new RegExp(source, flags);
  }
}

/** Runs work that cannot be interrupted otherwise. Undefined when it took too long. */
export function createTimeLimit(): <Result>(work: () => Result) => Result | undefined {
  const context = vm.createContext({});
  const script = new vm.Script('work()');
  return <Result>(work: () => Result) => {
    context['work'] = work;
    try {
      return script.runInContext(context, { timeout: LONGEST_MS }) as Result;
    } catch (error) {
      if ((error as { code?: string }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
      throw error;
    }
  };
}
