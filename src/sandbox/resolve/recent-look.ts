/**
 * The look at the disk that was taken to judge a command, kept for its start: that mostly follows at once. It serves one
 * start, and none once something else was started or has ended, because that may have changed what was found.
 */
import type { Resolution } from './resolve-policy.js';

export interface RecentLook {
  keep(asked: string, found: Resolution): void;
  /** What was found for the same, if that was just now. */
  take(asked: string): Resolution | undefined;
  forget(): void;
}

/** Less than anybody needs to answer a question. */
const TRUST_MS = 50;

export function createRecentLook(now: () => number = () => performance.now()): RecentLook {
  let latest: { readonly asked: string; readonly found: Resolution; readonly at: number } | undefined;
  return {
    keep(asked, found) {
      latest = { asked, found, at: now() };
    },
    take(asked) {
      const kept = latest;
      latest = undefined;
      return kept?.asked === asked && now() - kept.at < TRUST_MS ? kept.found : undefined;
    },
    forget() {
      latest = undefined;
    },
  };
}
