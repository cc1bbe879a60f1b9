/**
 * One ignore file as rules. The last one that holds for an entry decides; what is not understood is passed over. Only what
 * nobody would write is too much to be used.
 */
import { isSpent } from './effort.js';
import type { Effort } from './effort.js';
import { expandBraces } from './expand-braces.js';
import type { Expanded } from './expand-braces.js';
import { compileGlob, compileNameGlob } from './glob.js';
import type { Glob, NameGlob } from './glob.js';

const MOST_RULE_CHARACTERS = 4_096;
/** What the braces of one rule may stand for. */
const MOST_RULE_TEXTS = 64;
/** A rule without braces is one of them. */
const MOST_FILE_TEXTS = 10_000;
/** What each of them takes besides its characters. */
const TEXT_OVERHEAD = 30;
/** For reading one file, so that some are left for comparing. */
const MOST_FILE_STEPS = 15_000_000;
/** For a character that is made part of a rule. */
const STEPS_A_CHARACTER = 5;

export type IgnoreFile = {
  readonly rules: readonly IgnoreRule[];
  /** What it takes of the memory, about in characters. */
  readonly size: number;
  /** False when there are rules that are not used, because they are too many or too long. */
  readonly whole: boolean;
};

type IgnoreRule = {
  readonly verdict: Verdict;
  readonly foldersOnly: boolean;
  /** Without a slash, a rule is about names wherever they are. */
  readonly holds: { readonly kind: 'name'; readonly test: NameGlob } | { readonly kind: 'path'; readonly test: Glob };
};

export type Verdict = 'ignore' | 'keep';

export function readIgnoreFile(text: string, effort: Effort): IgnoreFile {
  const leave = Math.max(effort.left - MOST_FILE_STEPS, 0);
  effort.left -= text.length;
  const rules: IgnoreRule[] = [];
  const used = { size: 0, texts: 0, whole: true };
  for (const line of text.replace(/^\ufeff/, '').split(/\r?\n/)) {
    const written = readLine(line);
    if (written === undefined) continue;
    if (used.texts >= MOST_FILE_TEXTS || effort.left < leave) return { rules, size: used.size, whole: false };
    const expanded = expandRule(written.glob, effort);
    const texts = expanded.kind === 'texts' ? expanded.texts : [];
    const rule = compileRule(written, texts);
    if (rule !== undefined) rules.push(rule);
    const size = texts.reduce((sum, each) => sum + each.length, TEXT_OVERHEAD * texts.length);
    used.size += size;
    used.texts += Math.max(texts.length, 1);
    used.whole &&= expanded.kind !== 'too-many';
    effort.left -= STEPS_A_CHARACTER * (size + written.glob.length);
  }
  return { rules, size: used.size, whole: used.whole };
}

export type Asked = {
  /** Relative to the folder of the file, with `/` between its names. */
  readonly path: string;
  /** The last one of them. */
  readonly name: string;
  readonly isFolder: boolean;
};

/** Undefined when the file says nothing, or when the effort is spent before that is known. */
export function verdictOf({ rules }: IgnoreFile, { path, name, isFolder }: Asked, effort: Effort): Verdict | undefined {
  let names: readonly string[] | undefined;
  for (let index = rules.length - 1; index >= 0; index -= 1) {
    const { verdict, foldersOnly, holds } = rules[index] as IgnoreRule;
    if (foldersOnly && !isFolder) continue;
    effort.left -= 1;
    const isMeant = holds.kind === 'name' ? holds.test(name, effort) : holds.test((names ??= path.split('/')), effort);
    if (isSpent(effort)) return undefined;
    if (isMeant) return verdict;
  }
  return undefined;
}

type WrittenRule = Pick<IgnoreRule, 'verdict' | 'foldersOnly'> & {
  readonly kind: IgnoreRule['holds']['kind'];
  readonly glob: string;
};

function readLine(line: string): WrittenRule | undefined {
  const text = line.endsWith('\\ ') ? line : line.trimEnd();
  if (text === '' || text.startsWith('#')) return undefined;
  const verdict = text.startsWith('!') ? 'keep' : 'ignore';
  const pattern = verdict === 'keep' ? text.slice(1) : text;
  const foldersOnly = pattern.endsWith('/');
  const glob = foldersOnly ? pattern.slice(0, -1) : pattern;
  if (glob === '') return undefined;
  return { verdict, foldersOnly, kind: glob.includes('/') ? 'path' : 'name', glob: glob.replace(/^\//, '') };
}

function expandRule(glob: string, effort: Effort): Expanded {
  return glob.length > MOST_RULE_CHARACTERS ? { kind: 'too-many' } : expandBraces(glob, MOST_RULE_TEXTS, effort);
}

function compileRule({ verdict, foldersOnly, kind }: WrittenRule, texts: readonly string[]): IgnoreRule | undefined {
  if (texts.length === 0) return undefined;
  const holds = kind === 'path' ? holdsForPath(texts) : holdsForName(texts);
  return holds && { verdict, foldersOnly, holds };
}

function holdsForPath(texts: readonly string[]): IgnoreRule['holds'] | undefined {
  const test = compileGlob(texts);
  return test && { kind: 'path', test };
}

function holdsForName(texts: readonly string[]): IgnoreRule['holds'] | undefined {
  const test = compileNameGlob(texts);
  return test && { kind: 'name', test };
}
