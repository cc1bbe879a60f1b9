/** A search in the words of ripgrep, run in the folder that is searched. */
import { MAX_LINE_BYTES } from './found.js';
import type { SearchRequest } from './found.js';
import { REPOSITORY_NAME } from './ignore-rules.js';
import type { Surroundings } from './ignore-rules.js';

export type RipgrepScope = {
  /** A path in the folder it runs in, such as `./`. */
  readonly target: string;
  /** Undefined: ignored files are searched too. */
  readonly surroundings: Surroundings | undefined;
  /** Globs for names; none for all files. */
  readonly names: readonly string[];
  /** Globs for what is not searched. */
  readonly unwanted: readonly string[];
};

export function ripgrepArguments(request: SearchRequest, scope: RipgrepScope): readonly string[] {
  return [
    // The answer depends on nothing but the call and the files.
    '--no-config',
    '--no-ignore-global',
    '--no-messages',
    '--no-ignore-messages',
    '--color=never',
    '--hidden',
    // Another engine for what the usual one does not know, such as lookahead.
    '--engine=auto',
    '--crlf',
    ...ignoreArguments(scope.surroundings),
    ...nameArguments(scope.names),
    // A glob for what is not wanted leaves the ignore files in force; one for what is wanted would not.
    ...[...scope.unwanted, REPOSITORY_NAME].map((glob) => `--glob=!${glob}`),
    ...outputArguments(request),
    request.caseSensitive ? '--case-sensitive' : '--ignore-case',
    ...(request.literal ? ['--fixed-strings'] : []),
    ...(request.multiline ? ['--multiline'] : []),
    `--regexp=${request.pattern}`,
    '--',
    scope.target,
  ];
}

function ignoreArguments(surroundings: Surroundings | undefined): readonly string[] {
  if (surroundings === undefined) return ['--no-ignore'];
  return [
    ...(surroundings.rules === undefined ? ['--no-ignore-parent'] : []),
    ...(surroundings.inRepository ? [] : ['--no-require-git']),
  ];
}

/** As a type of file: ignored files stay ignored. */
function nameArguments(names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  return [...names.map((name) => `--type-add=wanted:${name}`), '--type=wanted'];
}

/** A name ends with a NUL, which no name has in it. Gaps are seen by the numbers of the lines. */
function outputArguments({ output, context }: SearchRequest): readonly string[] {
  if (output === 'files') return ['--null', '--files-with-matches'];
  if (output === 'count') return ['--null', '--count', '--with-filename'];
  return [
    '--null',
    '--no-heading',
    '--with-filename',
    '--line-number',
    '--no-context-separator',
    `--max-columns=${MAX_LINE_BYTES}`,
    '--max-columns-preview',
    ...(context > 0 ? [`--context=${context}`] : []),
  ];
}
