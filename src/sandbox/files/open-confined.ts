/** Reading: nothing of a file is opened for reading before it is known where it really is. */
import fs from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

import { FileProblem, fileProblem } from '../../core/file-problem.js';
import type { AbsolutePath } from '../../core/paths.js';
import type { OpenFile } from '../../core/workspace.js';
import { identityOf, isSame, Moved, openAnchor } from './anchor.js';
import type { Anchor } from './anchor.js';
import type { Confinement } from './confinement.js';
import { isHidden } from './rules.js';

// Without O_NONBLOCK, opening a named pipe waits for a writer for ever.
const READ_FLAGS = fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOCTTY;

const PROCFS = 0x9fa0;
/** Of the system as a whole. All else there is about processes, this one with its secrets among them, or can be written. */
const HARMLESS_IN_PROC: ReadonlySet<string> = new Set(
  ['cpuinfo', 'diskstats', 'filesystems', 'loadavg', 'meminfo', 'stat', 'swaps', 'uptime', 'version', 'vmstat'].map(
    (name) => `/proc/${name}`,
  ),
);

export async function openConfined(confinement: Confinement): Promise<OpenFile> {
  const anchor = await openAnchor(confinement.anchoring, confinement.path);
  try {
    // Pipes and sockets have no place that could be asked for.
    if (!anchor.stats.isFile() && !anchor.stats.isDirectory()) throw new FileProblem('special', confinement.path);
    await refuseSecrets(confinement, anchor);
    if (anchor.stats.isDirectory()) throw new FileProblem('folder', confinement.path);
    return asOpenFile(await reopen(anchor), anchor.stats.size, confinement.path);
  } finally {
    await anchor.close();
  }
}

async function refuseSecrets({ policy, deny }: Confinement, anchor: Anchor): Promise<void> {
  const found = await anchor.whereabouts();
  if (isHidden(policy, found)) throw deny('read', found.path);
  const { type } = await fs.promises.statfs(anchor.path);
  if (type === PROCFS && !HARMLESS_IN_PROC.has(found.path)) throw deny('read', found.path);
}

async function reopen(anchor: Anchor): Promise<FileHandle> {
  const handle = await fs.promises.open(anchor.path, READ_FLAGS);
  if (isSame(identityOf(await handle.stat()), identityOf(anchor.stats))) return handle;
  await handle.close();
  throw new Moved(anchor.path);
}

function asOpenFile(handle: FileHandle, size: number, path: AbsolutePath): OpenFile {
  return {
    size,
    async read(into, position) {
      try {
        return (await handle.read(into, 0, into.length, position)).bytesRead;
      } catch (error) {
        throw fileProblem(error, path);
      }
    },
    close: () => handle.close(),
  };
}
