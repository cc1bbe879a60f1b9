/** What a script can tell from the exit code of `tenon`. */
import type { CallResult } from '../index.js';

export const EXIT = { success: 0, failed: 1, usage: 2, rejected: 3, aborted: 130 } as const;

export function exitCodeOf({ outcome, answer }: CallResult): number {
  if (outcome.kind === 'rejected') return EXIT.rejected;
  if (outcome.kind === 'aborted') return EXIT.aborted;
  return answer.success ? EXIT.success : EXIT.failed;
}
