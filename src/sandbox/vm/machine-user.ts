/** Who the machine runs as. A superuser's machine runs as somebody else, whom nothing belongs to. */
import { randomInt } from 'node:crypto';
import fs from 'node:fs/promises';

import type { Accelerator } from './guest-arguments.js';

export type MachineUser = { readonly uid: number; readonly gid: number };

/** Kept free on Linux systems for users that exist only while a service runs. */
const FIRST_FREE = 61_184;
const AFTER_FREE = 65_520;

export const KVM_DEVICE = '/dev/kvm';

/**
 * Undefined for a plain user, who cannot change into another. Acceleration needs the group of its device, unless that is
 * the superuser's: then it has to do without.
 */
export async function machineUser(accelerator: Accelerator): Promise<MachineUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const free = randomInt(FIRST_FREE, AFTER_FREE);
  const group = accelerator === 'kvm' ? (await fs.stat(KVM_DEVICE)).gid : 0;
  return { uid: free, gid: group === 0 ? free : group };
}
