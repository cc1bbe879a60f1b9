/** The file that names the machine's resolver, which a confined command cannot reach. */
import fs from 'node:fs';

import type { AbsolutePath } from '../../core/paths.js';
import type { Place, ResolvedPolicy } from '../policy.js';

/** Without the address of another resolver, programs ask the one on their own loopback, which is ours. */
export function withoutResolver(policy: ResolvedPolicy): ResolvedPolicy {
  const file = resolverFile();
  return file === undefined ? policy : { ...policy, hidden: [...policy.hidden, file] };
}

function resolverFile(): Place | undefined {
  try {
    const path = fs.realpathSync('/etc/resolv.conf') as AbsolutePath;
    const { dev: device, ino: inode } = fs.statSync(path);
    return { path, kind: 'file', device, inode };
  } catch {
    return undefined;
  }
}
