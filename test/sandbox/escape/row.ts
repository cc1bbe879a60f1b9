/** What a row of the escape table is: something that is tried inside of a sandbox, and what has to come of it. */
import type { Grounds } from './grounds.js';
import type { Probe } from './probe.js';

export const BACKENDS = ['cell', 'bubblewrap', 'landlock', 'chroot'] as const;
export type BackendUnderTest = (typeof BACKENDS)[number];

export type Stand = { readonly backend: BackendUnderTest; readonly isRoot: boolean };

/** `ok`, or the name of the error or signal; several with a bar between them where the system may choose. */
export type Want = string | ((stand: Stand) => string);

/** System calls made inside; the first one that fails is what came of them. */
export type Try = { readonly name: string; readonly want: Want; readonly calls: (probe: Probe) => void };

export type Finding = { readonly name: string; readonly got: string; readonly want: string };

/** Why a row has nothing to try here. */
type Skip = { readonly skip: string };

/** What came of a row. */
export type Outcome = readonly Finding[] | Skip;

export type Row = {
  /** The number in the table, or a letter and a number for what is beyond it. */
  readonly id: string;
  readonly title: string;
} & (ProbeRow | StoryRow);

/**
 * One command that makes all the calls; in grounds of its own when something is prepared for it or looked at after it,
 * else in those of all the others that only make calls.
 */
export type ProbeRow = {
  readonly tries: (grounds: Grounds) => readonly Try[];
  /** Before the command, outside. */
  readonly prepare?: (grounds: Grounds) => void;
  /** After it, outside. */
  readonly after?: (grounds: Grounds, stand: Stand) => readonly Finding[];
};

/** Whatever needs more than calls. */
type StoryRow = { readonly story: (grounds: Grounds, stand: Stand) => Promise<Outcome> };

/** Read-only mounts against Landlock. */
export function by(mounts: string, landlock: string): Want {
  return ({ backend }) => (backend === 'landlock' ? landlock : mounts);
}

/** Where the system itself stops a plain user first. */
export function forRoot(root: Want, plain: Want): Want {
  return (stand) => wanted(stand.isRoot ? root : plain, stand);
}

export function wanted(want: Want, stand: Stand): string {
  return typeof want === 'string' ? want : want(stand);
}

export function finding(name: string, got: unknown, want: unknown): Finding {
  return { name, got: String(got), want: String(want) };
}
