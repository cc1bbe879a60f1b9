/** What was found out about this machine holds until it starts again, so it is written down. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { BINARIES } from '../runner/binaries.js';
import { probeLinux } from './probe.js';
import type { LinuxProbe, ProbeContext } from './probe.js';

/** Changes when the meaning of what is written down does. */
const FORMAT = 2;

export async function rememberedProbe(context: ProbeContext, folder: string): Promise<LinuxProbe> {
  const file = path.join(folder, `sandbox-${keyOf(context)}.json`);
  const known = read(file);
  if (known !== undefined) return known;
  const found = await probeLinux(context);
  // Only a good answer is kept: what is missing may be installed at any time.
  if (found.cell.works) write(file, found);
  return found;
}

/** Another start of the system, another kernel, another user, another surrounding sandbox, another runner. */
function keyOf({ architecture, identity }: ProbeContext): string {
  const facts = [
    FORMAT,
    readText('/proc/sys/kernel/random/boot_id'),
    os.release(),
    identity.user,
    process.env['PATH'],
    readLink('/proc/self/ns/user'),
    readLink('/proc/self/ns/mnt'),
    readText('/proc/self/status').match(/^Seccomp.*$/gm),
    BINARIES[architecture].sha256,
  ];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);
}

function readText(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function readLink(file: string): string {
  try {
    return fs.readlinkSync(file);
  } catch {
    return '';
  }
}

function read(file: string): LinuxProbe | undefined {
  try {
    const known: unknown = JSON.parse(fs.readFileSync(file, 'utf8'));
    return isProbe(known) ? known : undefined;
  } catch {
    return undefined;
  }
}

function isProbe(value: unknown): value is LinuxProbe {
  const parts = value as Partial<LinuxProbe> | null;
  const isKnown = (part: { readonly works?: unknown } | undefined): boolean => typeof part?.works === 'boolean';
  if (typeof parts?.landlock !== 'number' || parts.landlock <= 0 || typeof parts.openat2 !== 'boolean') return false;
  return parts.cell?.works === true && isKnown(parts.bubblewrap) && isKnown(parts.fence);
}

/** Whoever reads sees all of it or nothing; not being able to keep it only costs time. */
function write(file: string, probe: LinuxProbe): void {
  const fresh = `${file}.${process.pid}`;
  try {
    fs.writeFileSync(fresh, JSON.stringify(probe), { mode: 0o600, flag: 'wx' });
    fs.renameSync(fresh, file);
  } catch {
    fs.rmSync(fresh, { force: true });
  }
}
