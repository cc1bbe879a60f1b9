/** Real folders and repositories for the tests of what is done to them. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { absolutePath } from '../../../src/core/paths.js';
import type { AbsolutePath } from '../../../src/core/paths.js';
import type { SandboxPolicy } from '../../../src/sandbox/policy.js';
import { tempFolder } from '../../support/temp-folder.js';

export const NAMES = ['.git', '.tenon', '.codex', '.agents'];

/** Its real path: the system's folder for temporary files may be a link. */
export function realFolder(): AbsolutePath {
  return absolutePath(realpathSync(tempFolder()));
}

export function at(start: string, ...names: readonly string[]): AbsolutePath {
  return absolutePath(path.join(start, ...names));
}

/** A file with the folders above it. */
export function file(start: string, name: string, content = ''): AbsolutePath {
  const made = at(start, name);
  mkdirSync(path.dirname(made), { recursive: true });
  writeFileSync(made, content);
  return made;
}

export function folder(...names: readonly [string, ...string[]]): AbsolutePath {
  const made = at(...names);
  mkdirSync(made, { recursive: true });
  return made;
}

export function git(cwd: string, ...args: readonly string[]): string {
  const settings = [
    'user.name=Ada',
    'user.email=ada@example.org',
    'init.defaultBranch=main',
    'protocol.file.allow=always',
  ];
  return execFileSync('git', [...settings.flatMap((setting) => ['-c', setting]), ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: cwd, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
  });
}

/** A repository with one commit. */
export function repository(...names: readonly [string, ...string[]]): AbsolutePath {
  const root = folder(...names);
  git(root, 'init', '--quiet');
  git(root, 'commit', '--quiet', '--allow-empty', '-m', 'first');
  return root;
}

export function policyFor(parts: Partial<SandboxPolicy>): SandboxPolicy {
  return {
    writableRoots: [],
    protectedNames: NAMES,
    protectedPaths: [],
    hiddenPaths: [],
    grants: [],
    network: { kind: 'hosts', allowed: [] },
    unixSockets: 'none',
    limits: {},
    ...parts,
  };
}

export function pathsOf(places: readonly { readonly path: string }[]): readonly string[] {
  return places.map((place) => place.path);
}
