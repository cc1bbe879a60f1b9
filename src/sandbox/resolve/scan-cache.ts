/** Remembers what was found in each root from one command to the next. Created by the caller and kept between commands. */
import type { AbsolutePath } from '../../core/paths.js';
import { statsOf } from './places.js';
import { scan } from './scan.js';
import type { Found, Listings, Scan, ScanRules } from './scan.js';

export interface ScanCache {
  /** What is in a root now. */
  scan(root: AbsolutePath, rules: ScanRules): Scan;
  /** To be called whenever a command has run, and before another one is started while it still runs. */
  forget(): void;
}

type ScanCacheOptions = {
  readonly now?: () => number;
  /** How long nobody but a command is thought to make or move a repository below the root. */
  readonly trustMs?: number;
};

type Known = {
  readonly root: AbsolutePath;
  readonly rules: ScanRules;
  readonly at: number;
  readonly changedAt: number | undefined;
  readonly scan: Scan;
  readonly listings: Listings;
};

/** Within the trusted time a root is taken as it was found; after it each folder is asked whether it has changed. */
export function createScanCache({ now = Date.now, trustMs = 1_000 }: ScanCacheOptions = {}): ScanCache {
  const known = new Map<string, Known>();
  const trusted = new Set<string>();

  const look = (key: string, root: AbsolutePath, rules: ScanRules): Scan => {
    const at = now();
    const changedAt = changeOf(root);
    const before = known.get(key);
    const { listings, ...latest } = scan(root, { ...rules, now }, before?.listings ?? new Map());
    const found = latest.cut === undefined || before === undefined ? latest : withEarlier(latest, before.scan);
    known.set(key, { root, rules, at, changedAt, scan: found, listings });
    trusted.add(key);
    return found;
  };

  const isTrusted = (key: string, { at, root, changedAt }: Known): boolean => {
    const age = now() - at;
    return trusted.has(key) && age >= 0 && age < trustMs && changeOf(root) === changedAt;
  };

  return {
    scan: (root, rules) => {
      const key = JSON.stringify([root, rules]);
      const before = known.get(key);
      return before !== undefined && isTrusted(key, before) ? before.scan : look(key, root, rules);
    },
    forget: () => trusted.clear(),
  };
}

/** What was found before is not lost because somebody has made so many files since that the search ends early. */
function withEarlier(latest: Scan, earlier: Scan): Scan {
  const seen = new Set(latest.found.map(({ path }) => path));
  const kept = earlier.found.filter(({ path, kind }) => !seen.has(path) && kindOf(path) === kind);
  return { ...latest, found: [...latest.found, ...kept] };
}

function kindOf(file: AbsolutePath): Found['kind'] | undefined {
  const stats = statsOf(file);
  if (stats === undefined) return undefined;
  return stats.isSymbolicLink() ? 'link' : stats.isDirectory() ? 'folder' : 'file';
}

function changeOf(root: AbsolutePath): number | undefined {
  return statsOf(root)?.ctimeMs;
}
