/**
 * The folder that a runtime shares with its container: the agent, named pipes, what hidden places are covered with. The
 * container sees it read-only, and no writable place may hold it: who can swap a pipe can make us open something else.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { ConfigError } from '../../core/errors.js';
import { absolutePath, isInside } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';
import type { Limits, ResolvedPolicy } from '../policy.js';
import { agentFiles } from './agent-program.js';
import { COVERS } from './mounts.js';

const PREFIX = 'tenon-container-';

export async function makeRuntimeFolder({ writable, granted, limits }: ResolvedPolicy): Promise<AbsolutePath> {
  for (const parent of await candidates()) {
    if ([...writable, ...granted].some((place) => isInside(place.path, parent))) continue;
    await removeAbandoned(parent);
    const folder = await fs.promises.mkdtemp(path.join(parent, `${PREFIX}${process.pid}-`)).catch(() => undefined);
    if (folder === undefined) continue;
    await Promise.all([makeCovers(folder), writeAgent(folder, limits)]);
    return absolutePath(folder);
  }
  throw new ConfigError(
    'every folder for temporary files may be written to by commands; the sandbox needs one of its own',
  );
}

export async function removeRuntimeFolder(folder: AbsolutePath): Promise<void> {
  await fs.promises.rm(folder, { recursive: true, force: true }).catch(() => {});
}

/** In memory if possible, and first where other commands are not likely to be let in. */
async function candidates(): Promise<readonly AbsolutePath[]> {
  const names = ['/dev/shm', process.env['XDG_RUNTIME_DIR'] ?? '', os.tmpdir()].filter((name) => path.isAbsolute(name));
  const real = await Promise.all(names.map((name) => fs.promises.realpath(name).catch(() => undefined)));
  return real.filter((name) => name !== undefined).map(absolutePath);
}

/** What runtimes of the same user have left behind that were killed. */
async function removeAbandoned(parent: AbsolutePath): Promise<void> {
  const names = await fs.promises.readdir(parent).catch(() => []);
  await Promise.all(names.filter(isAbandoned).map((name) => removeOwn(path.join(parent, name))));
}

function isAbandoned(name: string): boolean {
  const pid = Number(/^tenon-container-(\d+)-\w+$/.exec(name)?.[1]);
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

async function removeOwn(folder: string): Promise<void> {
  const stats = await fs.promises.lstat(folder).catch(() => undefined);
  if (stats?.isDirectory() && stats.uid === process.getuid?.()) await removeRuntimeFolder(absolutePath(folder));
}

async function writeAgent(folder: string, limits: Limits): Promise<void> {
  const files = Object.entries(agentFiles(limits));
  await Promise.all(files.map(([name, text]) => fs.promises.writeFile(path.join(folder, name), text, { mode: 0o600 })));
}

/** Without any right, so that not even their owner looks into them; read-only where they are mounted. */
async function makeCovers(folder: string): Promise<void> {
  await fs.promises.mkdir(path.join(folder, COVERS.folder), { mode: 0 });
  await fs.promises.writeFile(path.join(folder, COVERS.file), '', { mode: 0 });
}
