/** Which files are meant: globs, several with commas between them, those with `!` in front for what is not. */
import { ToolFailure } from '../core/errors.js';
import { addEntry, createEffort, isSpent } from './effort.js';
import type { Effort } from './effort.js';
import { expandBraces, splitAtCommas } from './expand-braces.js';
import { compileGlob, compileNameGlob } from './glob.js';
import type { Glob } from './glob.js';

const MOST_CHARACTERS = 4_096;
/** What the braces of one glob may stand for. */
const MOST_TEXTS = 1_000;
const EXAMPLES = 'Write it like *.ts, src/**/*.ts or *.{js,ts}.';

export type FilePattern = {
  /** Whether a path, relative to where it is searched, is meant. */
  holds(path: string): boolean;
  /** Globs for names, one of which each file that is meant has. None when that is not known. */
  readonly names: readonly string[];
  /** Globs for what is not meant. */
  readonly unwanted: readonly string[];
};

export function readFilePattern(text: string): FilePattern {
  if (text.length > MOST_CHARACTERS) {
    throw new ToolFailure(
      `the pattern is too long: it has ${text.length} characters, at most ${MOST_CHARACTERS} are read. Write a shorter one.`,
    );
  }
  const effort = createEffort();
  const globs = splitAtCommas(text)
    .map((each) => each.trim())
    .filter((each) => each !== '');
  const wanted = globs.filter((each) => !each.startsWith('!'));
  const unwanted = globs.filter((each) => each.startsWith('!')).map((each) => each.slice(1));
  const includes = wanted.map((glob) => compile(anywhere(glob), glob, effort));
  const excludes = unwanted
    .flatMap((glob) => [anywhere(glob), `${anywhere(glob)}/**`])
    .map((glob) => compile(glob, glob, effort));
  const names = wanted.map((glob) => glob.split('/').at(-1) ?? '');
  return {
    holds(path) {
      if (globs.length === 0) return true;
      addEntry(effort);
      const parts = path.split('/');
      const isWanted = includes.length === 0 || includes.some((glob) => glob(parts, effort));
      const isMeant = isWanted && !excludes.some((glob) => glob(parts, effort));
      if (!isSpent(effort)) return isMeant;
      throw new ToolFailure(`the pattern takes too long to compare with so many names. ${EXAMPLES}`);
    },
    names: names.every((glob) => isForNames(glob, effort)) ? names : [],
    unwanted: unwanted.map((glob) => glob.replace(/^\.\//, '/')),
  };
}

/** Without a slash, a glob is about names in any folder. */
function anywhere(glob: string): string {
  return glob.includes('/') ? glob.replace(/^\.?\//, '') : `**/${glob}`;
}

function compile(glob: string, written: string, effort: Effort): Glob {
  const expanded = expandBraces(glob, MOST_TEXTS, effort);
  const compiled = expanded.kind === 'texts' ? compileGlob(expanded.texts) : undefined;
  if (compiled !== undefined) return compiled;
  const why = expanded.kind === 'too-many' ? 'its braces are too many' : 'a bracket or brace has no end';
  throw new ToolFailure(`the pattern \`${written}\` is no glob: ${why}. ${EXAMPLES}`);
}

/** One that holds for any name says nothing, nor does the rest of braces with a slash in them. */
function isForNames(glob: string, effort: Effort): boolean {
  if (/^\**$/.test(glob)) return false;
  const expanded = expandBraces(glob, MOST_TEXTS, effort);
  return expanded.kind === 'texts' && compileNameGlob(expanded.texts) !== undefined;
}
