/**
 * The built-in sandbox put together with the user's settings and rules. Nothing of it is loaded before the first command
 * or file is confined.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { changeOnceRecorded } from './core/change-once-recorded.js';
import type { FileChange } from './core/files.js';
import { absolutePath, isInside } from './core/paths.js';
import type { AbsolutePath } from './core/paths.js';
import type { SandboxSettings } from './core/sandbox-settings.js';
import type { Profile, Workspace } from './core/workspace.js';
import { workspaceWith } from './core/workspace-with.js';
import type { RuleBook } from './rules/rule-book.js';
import { userFolder } from './store/home.js';
import { strictest } from './policy/rule-words.js';
import type { HostVerdict } from './sandbox/backend.js';
import type { Sandbox, SandboxOptions } from './sandbox/sandbox.js';
import { once } from './core/once.js';

export type SandboxParts = {
  readonly settings: SandboxSettings;
  /** Tenon's own folder: commands must not change what it holds. */
  readonly home: AbsolutePath;
  readonly userHome: AbsolutePath;
  /** Folders that commands may write to, beside those for temporary files. */
  readonly writableRoots: readonly AbsolutePath[];
  readonly rules: () => Promise<RuleBook>;
  readonly realPath: (path: string) => AbsolutePath;
  /** Whether what was stopped is also told at the end of a command's output. */
  readonly notes: boolean;
};

/** What is in these decides what may run, or runs by itself, next time. */
export const PROTECTED_NAMES = ['.git', '.tenon', '.codex', '.agents'] as const;

export function createLazySandbox(parts: SandboxParts): Sandbox {
  const sandbox = once(() => open(parts));
  return {
    confine(workspace, profile, report) {
      const narrowed = once(async () => (await sandbox()).confine(workspace, profile, report));
      return lazyWorkspace(workspace, narrowed);
    },
    confinement: async (profile) => (await sandbox()).confinement(profile),
    getReady(profile) {
      // What cannot be loaded is told of by the command that needs it.
      sandbox().then(
        (opened) => opened.getReady(profile),
        () => {},
      );
    },
    released() {
      // Nobody is confined before it is there.
      void sandbox.started()?.then((opened) => opened.released());
    },
    stage: async (workspace, profile, report) => (await sandbox()).stage(workspace, profile, report),
    probe: async (profile, names) => (await sandbox()).probe(profile, names),
    close: async () => (await sandbox.started()?.catch(() => undefined))?.close(),
  };
}

function lazyWorkspace(workspace: Workspace, narrowed: () => Promise<Workspace>): Workspace {
  return workspaceWith(workspace, {
    files: {
      open: async (file) => (await narrowed()).files.open(file),
      look: async (file) => (await narrowed()).files.look(file),
      async *list(folder) {
        yield* (await narrowed()).files.list(folder);
      },
      change: Object.assign(async (changes: readonly FileChange[]) => (await narrowed()).files.change(changes), {
        onceRecorded: async (changes: readonly FileChange[], recorded: Promise<unknown>) =>
          changeOnceRecorded((await narrowed()).files, changes, recorded),
      }),
    },
    spawn: async (command) => (await narrowed()).spawn(command),
    // It would tell of a program that is not confined.
    prepare: undefined,
  });
}

async function open(parts: SandboxParts): Promise<Sandbox> {
  const { createSandbox } = await import('./sandbox/sandbox.js');
  const { createBackends } = await import('./sandbox/create-backends.js');
  const { settings, home, realPath } = parts;
  const written = [...parts.writableRoots, ...temporaryRoots(settings)].map(realPath);
  const backends = createBackends({
    settings,
    cacheFolder: absolutePath(path.join(home, 'sandbox')),
    // What a command could write to is neither believed nor run.
    untrusted: written,
    remember: !written.some((root) => isInside(root, realPath(home))),
    judgeHost: (host) => judgeHost(host, parts),
  });
  return createSandbox({
    ...(await sandboxOptions(parts)),
    backend: settings.backend ?? 'auto',
    candidates: (named) => backends.find(named),
    realPath,
    home: realPath(parts.userHome),
    async stageFolder() {
      const folder = absolutePath(path.join(home, 'stages'));
      const { makePrivateFolder } = await import('./store/private-folder.js');
      await makePrivateFolder(folder);
      return folder;
    },
    close: () => backends.close(),
  });
}

/** What rules forbid by name is closed to commands, too. */
async function sandboxOptions(
  parts: SandboxParts,
): Promise<Omit<SandboxOptions, 'backend' | 'candidates' | 'home' | 'realPath' | 'stageFolder' | 'close'>> {
  const { settings, home, userHome, rules } = parts;
  const { hiddenPaths } = await import('./sandbox/resolve/hide-list.js');
  const { wallSeconds, ...limits } = settings.limits ?? {};
  return {
    temporaryRoots: temporaryRoots(settings),
    protectedNames: PROTECTED_NAMES,
    protectedPaths: [home, ...ownCode().filter((file) => !parts.writableRoots.some((root) => isInside(file, root)))],
    ownFolders: ownFolders(home),
    hiddenPaths: hiddenPaths(userHome, { hide: settings.hide ?? [], show: settings.show ?? [] }),
    closedPlaces: async () => {
      const { read, write } = (await rules()).closed;
      return { read: read.map(absolutePath), write: write.map(absolutePath) };
    },
    allowedHosts: settings.allowedHosts ?? [],
    unixSockets: settings.unixSockets ?? 'none',
    limits,
    wallSeconds,
    notes: parts.notes,
    watchPaths: settings.watchPaths ?? false,
  };
}

/** A command that could change these would be run by us, unconfined, the next time something is loaded. */
function ownCode(): readonly AbsolutePath[] {
  // In the program it is a plain path.
  const here = import.meta.url;
  const file = here.startsWith('file:') ? fileURLToPath(here) : here;
  const modules = /^(.*[\\/]node_modules)[\\/]/.exec(file)?.[1];
  const packages = modules === undefined ? [] : OWN_PACKAGES.map((name) => path.join(modules, name));
  return [path.dirname(file), process.execPath, ...packages].map(absolutePath);
}

/** Beside us, where a project has installed us. */
const OWN_PACKAGES = [
  'tenon',
  '@img',
  '@lydell',
  '@vscode',
  'commander',
  'detect-libc',
  'semver',
  'sharp',
  'eventsource-parser',
  'smol-toml',
  'unbash',
  'zod',
];

/** They are there before anybody compares what was there before a command and after it. */
function ownFolders(home: AbsolutePath): readonly AbsolutePath[] {
  return ['artifacts', 'cache', 'run', 'sandbox', 'stages'].map((name) => {
    const folder = absolutePath(path.join(home, name));
    try {
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    } catch {
      // Whoever needs it will say so.
    }
    return folder;
  });
}

export function temporaryRoots({ excludeSlashTmp, excludeTmpdir }: SandboxSettings): readonly AbsolutePath[] {
  const folders = [...(excludeSlashTmp ? [] : ['/tmp']), ...(excludeTmpdir ? [] : [os.tmpdir()])];
  return [...new Set(folders)].filter((folder) => path.isAbsolute(folder)).map(absolutePath);
}

/** A rule that allows or forbids wins over the list of allowed hosts; one that asks leaves it to that list and to grants. */
async function judgeHost(host: string, { rules }: SandboxParts): Promise<HostVerdict | undefined> {
  const rule = strictest((await rules()).hosts(host));
  if (rule === undefined || rule.decision === 'prompt') return undefined;
  return { allowed: rule.decision === 'allow', byName: rule.hosts.includes(host) };
}

/** The folders that commands may write to, beside those for temporary files. */
export function writableRoots(
  cwd: AbsolutePath,
  { writableRoots: more = [] }: SandboxSettings,
): Profile['writableRoots'] {
  return [cwd, ...more.map((folder) => absolutePath(path.resolve(cwd, expanded(folder))))];
}

/** As a shell would, for who writes it in a file. */
function expanded(folder: string): string {
  return folder === '~' || folder.startsWith('~/') ? path.join(userFolder(), folder.slice(1)) : folder;
}
