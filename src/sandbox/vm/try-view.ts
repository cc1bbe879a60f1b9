/** Whether this user can serve a view of the host's files at all; it is built once, and nothing is served. */
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { ConfigError, messageOf } from '../../core/errors.js';
import { startHostProcess } from './host-process.js';
import { VIEW_READY, viewLaunch } from './host-scripts.js';
import type { Parts } from './parts.js';

const CLASSIC_PROBLEM =
  'the virtiofsd of QEMU 7 and before serves files for the superuser only; install the one that is a package of its own';

/** Throws a `ConfigError` that says what is in the way. */
export async function tryView({ architecture, perl, virtiofsd }: Parts): Promise<void> {
  if (virtiofsd.kind === 'classic' && process.getuid?.() !== 0) throw new ConfigError(CLASSIC_PROBLEM);
  const folder = await fs.mkdtemp(path.join(await fs.realpath(os.tmpdir()), 'tenon-vm-'));
  const steps = [
    ['bind', '/', folder],
    ['attributes', 'read-only', folder],
  ] as const;
  const socket = path.join(folder, 'socket');
  const trial = startHostProcess(perl, viewLaunch({ architecture, socket, steps, argv: ['/bin/true'] }));
  try {
    await trial.printed(VIEW_READY);
  } catch (error) {
    throw new ConfigError(`the host's files cannot be served to a virtual machine: ${messageOf(error)}`, {
      cause: error,
    });
  } finally {
    await trial.endSoon();
    await fs.rm(folder, { recursive: true, force: true });
  }
}
