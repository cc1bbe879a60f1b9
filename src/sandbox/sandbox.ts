/**
 * The sandbox of a runtime: from a profile to a workspace in which commands are confined and files are kept to. It
 * chooses a backend once, looks at the disk before each command, and tells afterwards what was stopped.
 */
import { ConfigError, Rejected, ToolFailure, messageOf } from '../core/errors.js';
import { isInside } from '../core/paths.js';
import type { AbsolutePath } from '../core/paths.js';
import type { Command, Confine, Process, Profile, SandboxReport, Workspace } from '../core/workspace.js';
import { BACKEND_NAMES } from './backend.js';
import type { BackendName } from './backend.js';
import { chooseBackend } from './choose-backend.js';
import type { Candidate, Choice } from './choose-backend.js';
import { confinedFiles } from './files/confined-files.js';
import { once } from '../core/once.js';
import { shortfalls } from './guarantees.js';
import type { Shortfall } from './guarantees.js';
import type { Guarantees, Limits, ResolvedPolicy, SandboxPolicy, UnixSockets } from './policy.js';
import { resolvePolicy } from './resolve/resolve-policy.js';
import type { Resolution } from './resolve/resolve-policy.js';
import { createRecentLook } from './resolve/recent-look.js';
import { createScanCache } from './resolve/scan-cache.js';
import type { Meanwhile } from './spawn-confined.js';
import type { Stage } from './staging/stage.js';
import type { StagedWorkspace } from '../core/staging.js';

export type SandboxOptions = {
  /** Default: the best that works here. */
  readonly backend: 'auto' | BackendName;
  /** The backends that may be used here, each tried when it is asked for. */
  readonly candidates: (named: 'auto' | BackendName) => Promise<readonly Candidate[]>;
  /** Folders for temporary files that may be written to as well, unless nothing may. */
  readonly temporaryRoots: readonly AbsolutePath[];
  readonly protectedNames: readonly string[];
  readonly protectedPaths: readonly AbsolutePath[];
  /** Folders in these that we write to ourselves. */
  readonly ownFolders: readonly AbsolutePath[];
  readonly hiddenPaths: readonly AbsolutePath[];
  /** What else cannot be read, or written, right now. */
  readonly closedPlaces: () => Promise<{
    readonly read: readonly AbsolutePath[];
    readonly write: readonly AbsolutePath[];
  }>;
  readonly allowedHosts: readonly string[];
  readonly unixSockets: UnixSockets;
  readonly limits: Limits;
  /** After so long a command is ended, whatever its call says. */
  readonly wallSeconds: number | undefined;
  /** Whether what was stopped is also told at the end of a command's output, for who sees nothing else. */
  readonly notes: boolean;
  /** Whether every path that a command tries to change is noted down; slower. */
  readonly watchPaths: boolean;
  /** The user's own folder, which nobody is asked to open as a whole. */
  readonly home: AbsolutePath;
  /** Where a path really leads, as far as it exists. */
  readonly realPath: (path: string) => AbsolutePath;
  /** A folder of ours for what staged commands write. */
  readonly stageFolder: () => Promise<AbsolutePath>;
  readonly close: () => Promise<void>;
};

export interface Sandbox {
  readonly confine: Confine;
  /** Whether commands can be confined under this profile, and what would be weaker than asked for. */
  confinement(profile: Profile): Promise<Confinement>;
  /** A command may come soon under this profile: begins with what the first one would have to wait for. */
  getReady(profile: Profile): void;
  /** Every backend tried, by default all there are: whether it works, what it holds to, and what not. */
  probe(profile: Profile, names?: readonly BackendName[]): Promise<readonly ProbedBackend[]>;
  /** Says that somebody lets a command run unconfined: what appears from now on may be its doing. */
  released(): void;
  /** A workspace whose folder a command can change without changing it. Throws when there can be none here. */
  stage(workspace: Workspace, profile: Profile, report: (what: SandboxReport) => void): Promise<StagedWorkspace>;
  close(): Promise<void>;
}

export type Confinement =
  | {
      readonly kind: 'available';
      readonly backend: BackendName;
      readonly weaker: readonly string[];
      /** Rights that open more than was asked for: the folder above what does not exist, or what a link leads to. */
      readonly widened: readonly { readonly asked: AbsolutePath; readonly opened: AbsolutePath }[];
      /** What else somebody may want to know: folders that are not there, or too large to be looked through. */
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'none'; readonly reason: string };

export type ProbedBackend = { readonly name: BackendName } & (
  | { readonly works: false; readonly reason: string }
  | {
      readonly works: true;
      readonly guarantees: Guarantees;
      /** What it lacks of what the profile asks for. */
      readonly shortfalls: readonly Shortfall[];
      /** Whether it is the one that is used. */
      readonly chosen: boolean;
    }
);

export function createSandbox(options: SandboxOptions): Sandbox {
  const cache = createScanCache();
  const recent = createRecentLook();
  /** What any command has been given the right to write: another one that runs meanwhile did not do it. */
  const given = new Set<AbsolutePath>();
  let releases = 0;
  const ours = options.protectedPaths.map((each) => options.realPath(each));
  const candidates = once(() => options.candidates(options.backend));
  // Most calls only read a file.
  const spawning = once(() => import('./spawn-confined.js'));

  const resolve = async (profile: Profile, purpose?: 'judge' | 'start'): Promise<Resolution> => {
    const policy = policyOf(profile, options);
    const closed = await options.closedPlaces();
    const protectedPaths = [...policy.protectedPaths, ...closed.write];
    const hiddenPaths = [...policy.hiddenPaths, ...closed.read];
    const asked = { ...policy, protectedPaths, hiddenPaths };
    const known = purpose === 'start' ? recent.take(JSON.stringify(asked)) : undefined;
    const found = known ?? (await resolvePolicy(asked, { shallow: options.temporaryRoots, cache }));
    if (purpose === 'judge') recent.keep(JSON.stringify(asked), found);
    const [partly] = found.shown;
    if (partly === undefined) return found;
    throw new ConfigError(
      `${partly.path} lies in a hidden folder, which cannot be opened in part; show the whole folder`,
    );
  };

  /** With the policy it was chosen for, which the next command may find to be another one. */
  async function choose(profile: Profile, purpose?: 'judge' | 'start'): Promise<Chosen> {
    const [resolution, known] = await Promise.all([resolve(profile, purpose), candidates()]);
    return { choice: chooseBackend(known, resolution.policy, options.backend !== 'auto'), resolution };
  }

  function changed(): void {
    cache.forget();
    recent.forget();
  }

  function whatSince(before: number): Meanwhile {
    return {
      released: () => releases > before,
      given: (file) => [...given].some((each) => isInside(each, file)),
    };
  }

  async function spawnUnder({ workspace, profile, report, stage }: Terms, command: Command): Promise<Process> {
    const { choice, resolution } = await choose(profile, 'start').catch((error: unknown) =>
      cannotStart(messageOf(error), report),
    );
    if (choice.kind === 'none') return cannotStart(choice.reason, report);
    const { policy } = resolution;
    for (const grant of profile.grants) if (grant.kind === 'write') given.add(grant.path);
    const { watchPaths, realPath, wallSeconds } = options;
    try {
      const { spawnConfined } = await spawning();
      return await spawnConfined({
        backend: choice.backend,
        start: {
          command,
          policy,
          workspace,
          watchPaths,
          realPath,
          home: options.home,
          ours,
          ...(stage && { stage }),
        },
        report,
        changed,
        wallSeconds,
        ownFolders: options.ownFolders,
        meanwhile: whatSince(releases),
        notes: options.notes,
      });
    } catch (error) {
      return cannotStart(messageOf(error), report);
    }
  }

  function confined(terms: Terms): Workspace {
    const { workspace, profile, report } = terms;
    // As for a command: what holds when it begins, holds until it ends.
    const policy = once(async () => (await resolve(profile)).policy);
    return {
      cwd: workspace.cwd,
      files: confinedFiles(policy, report),
      shellCommand: (script, shell) => workspace.shellCommand(script, shell),
      spawn: (command) => spawnUnder(terms, command),
    };
  }

  return {
    confine: (workspace, profile, report) => confined({ workspace, profile, report }),
    async stage(workspace, profile, report) {
      const { choice } = await choose(profile);
      if (choice.kind === 'none') return cannotStart(choice.reason, report);
      if (choice.backend.readXattrs === undefined) {
        throw new ToolFailure(`the sandbox ${choice.backend.name} cannot run commands on a copy of the workspace`);
      }
      const [{ createStage }, { stagedWorkspace }] = await Promise.all([
        import('./staging/stage.js'),
        import('./staging/staged-workspace.js'),
      ]);
      const stage = await createStage(workspace.cwd, await options.stageFolder());
      return stagedWorkspace(stage, {
        workspace: confined({ workspace, profile, report, stage }),
        readXattrs: choice.backend.readXattrs,
        policy: {
          protectedNames: options.protectedNames,
          protectedPaths: [...options.protectedPaths, ...(await options.closedPlaces()).write],
        },
      });
    },
    released() {
      releases += 1;
      recent.forget();
    },
    async confinement(profile) {
      const { choice, resolution } = await choose(profile, 'judge');
      if (choice.kind === 'none') return choice;
      return {
        kind: 'available',
        backend: choice.backend.name,
        weaker: choice.weaker,
        widened: resolution.widened.map(({ asked, place }) => ({ asked, opened: place.path })),
        warnings: warningsOf(resolution),
      };
    },
    getReady(profile) {
      // What goes wrong here goes wrong again when a command is started, and is told then.
      const made = choose(profile).then(({ choice, resolution }) => {
        if (choice.kind === 'chosen') choice.backend.getReady?.(resolution.policy);
      });
      void Promise.allSettled([made, spawning()]);
    },
    async probe(profile, names = BACKEND_NAMES) {
      const { choice, resolution } = await choose(profile);
      const chosen = choice.kind === 'chosen' ? choice.backend.name : undefined;
      const found = await Promise.all(names.map((name) => options.candidates(name)));
      return found.flat().map((candidate) => probed(candidate, resolution.policy, chosen));
    },
    close: options.close,
  };
}

type Chosen = { readonly choice: Choice; readonly resolution: Resolution };

function probed(candidate: Candidate, policy: ResolvedPolicy, chosen: BackendName | undefined): ProbedBackend {
  if (candidate.kind === 'broken') return { name: candidate.name, works: false, reason: candidate.reason };
  const { name } = candidate.backend;
  const guarantees = candidate.backend.guarantees(policy);
  return { name, works: true, guarantees, shortfalls: shortfalls(policy, guarantees), chosen: name === chosen };
}

function warningsOf({ missing, cut }: Resolution): readonly string[] {
  return [
    ...missing.map((folder) => `there is no folder ${folder}, so it cannot be written to`),
    ...cut.map(({ root }) => `${root} is too large to find every repository in it; nested ones may not be protected`),
  ];
}

/** What commands of one attempt run under. */
type Terms = {
  readonly workspace: Workspace;
  readonly profile: Profile;
  readonly report: (what: SandboxReport) => void;
  readonly stage?: Stage;
};

/** A sandbox that cannot be set up is no reason to go without one. */
function cannotStart(reason: string, report: (what: SandboxReport) => void): never {
  report({ kind: 'failed', reason });
  throw new Rejected('policy', `sandbox could not start: ${reason}`);
}

function policyOf(profile: Profile, options: SandboxOptions): SandboxPolicy {
  const writes = profile.mode !== 'read-only';
  return {
    writableRoots: writes ? [...profile.writableRoots, ...options.temporaryRoots] : [],
    protectedNames: options.protectedNames,
    protectedPaths: options.protectedPaths,
    hiddenPaths: options.hiddenPaths,
    grants: profile.grants,
    network: profile.network ? { kind: 'open' } : { kind: 'hosts', allowed: options.allowedHosts },
    unixSockets: options.unixSockets,
    limits: options.limits,
  };
}
