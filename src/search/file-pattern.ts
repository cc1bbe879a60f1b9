/** Which files are meant: globs, several with commas between them, those with `!` in front for what is not. */
import { ToolFailure } from '../core/errors.js';
import { splitAtCommas } from './expand-braces.js';
import { compileGlob, compileNameGlob } from './glob.js';

export type FilePattern = {
  /** Whether a path, relative to where it is searched, is meant. */
  holds(path: string): boolean;
  /** Globs for names, one of which each file that is meant has. None when that is not known. */
  readonly names: readonly string[];
  /** Globs for what is not meant. */
  readonly unwanted: readonly string[];
};

export function readFilePattern(text: string): FilePattern {
  const globs = splitAtCommas(text)
    .map((each) => each.trim())
    .filter((each) => each !== '');
  const wanted = globs.filter((each) => !each.startsWith('!'));
  const unwanted = globs.filter((each) => each.startsWith('!')).map((each) => each.slice(1));
  const includes = wanted.map((glob) => compile(anywhere(glob), glob));
  const excludes = unwanted
    .flatMap((glob) => [anywhere(glob), `${anywhere(glob)}/**`])
    .map((glob) => compile(glob, glob));
  const names = wanted.map((glob) => glob.split('/').at(-1) ?? '');
  return {
    holds(path) {
      if (globs.length === 0) return true;
      const parts = path.split('/');
      const isWanted = includes.length === 0 || includes.some((glob) => glob(parts));
      return isWanted && !excludes.some((glob) => glob(parts));
    },
    names: names.every(isForNames) ? names : [],
    unwanted: unwanted.map((glob) => glob.replace(/^\.\//, '/')),
  };
}

/** Without a slash, a glob is about names in any folder. */
function anywhere(glob: string): string {
  return glob.includes('/') ? glob.replace(/^\.?\//, '') : `**/${glob}`;
}

function compile(glob: string, written: string): (names: readonly string[]) => boolean {
  const compiled = compileGlob(glob);
  if (compiled !== undefined) return compiled;
  throw new ToolFailure(
    `the pattern \`${written}\` is no glob: a bracket or brace has no end. Write it like *.ts, src/**/*.ts or *.{js,ts}.`,
  );
}

/** One that holds for any name says nothing, nor does the rest of braces with a slash in them. */
function isForNames(glob: string): boolean {
  return !/^\**$/.test(glob) && compileNameGlob(glob) !== undefined;
}
