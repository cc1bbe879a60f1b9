/** An engine mounts by name. Between the look at the disk and the mount, a name may have come to mean something else. */
import fs from 'node:fs';

import { ConfigError } from '../../core/errors.js';
import type { Place, ResolvedPolicy } from '../policy.js';

export async function checkPlaces({ writable, pinned, protected: shut, granted }: ResolvedPolicy): Promise<void> {
  await Promise.all([...writable, ...pinned, ...shut, ...granted].map(checkPlace));
}

async function checkPlace({ path, device, inode }: Place): Promise<void> {
  const stats = await fs.promises.lstat(path).catch(() => undefined);
  if (stats?.dev === device && stats.ino === inode) return;
  throw new ConfigError(`${path} is not what it was when the sandbox was set up; start again`);
}
