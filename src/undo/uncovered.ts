/** Says plainly what a command may have changed that cannot be taken back. */
import path from 'node:path';

import type { AbsolutePath } from '../core/paths.js';
import type { ScanLimits } from './scan.js';

type Places = {
  readonly cwd: AbsolutePath;
  /** Changed, and their earlier content was not kept. */
  readonly lost: readonly string[];
  /** Folders that are not looked into. */
  readonly unwatched: readonly string[];
};

const MOST_NAMES = 5;

export function describeUncovered(
  { cwd, lost, unwatched }: Places,
  { isCutShort, limits }: { readonly isCutShort: boolean; readonly limits: ScanLimits },
): string | undefined {
  const sentences = [
    isCutShort
      ? `the workspace has more than ${limits.entries} files and folders, so not all that the command changed is known`
      : '',
    lost.length > 0 ? `what was in ${named(cwd, lost)} before was not kept` : '',
    unwatched.length > 0 ? `changes in ${named(cwd, unwatched)} are not kept` : '',
  ].filter((text) => text !== '');
  return sentences.length === 0 ? undefined : sentences.join('; ');
}

function named(cwd: AbsolutePath, names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).map((name) => path.relative(cwd, name));
  const more = names.length - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
}
