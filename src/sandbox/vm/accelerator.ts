/**
 * Whether the machine can be accelerated. A device that can be opened is no proof: where virtual machines run inside of
 * others it often does not get past the first instructions. So a kernel is started with it, as far as its first program.
 */
import fs from 'node:fs/promises';

import { bareMachine } from './guest-arguments.js';
import type { Accelerator } from './guest-arguments.js';
import { startHostProcess } from './host-process.js';
import { machineLaunch } from './host-scripts.js';
import { initramfs } from './initramfs.js';
import { createMachineFolder } from './machine-folder.js';
import { KVM_DEVICE, machineUser } from './machine-user.js';
import type { Parts } from './parts.js';

const TRY_MS = 5_000;
const SIGN = 'a program runs in the guest';
const TRIAL_INIT = `#!/bin/busybox sh\necho ${SIGN}\nexec /bin/busybox poweroff -f\n`;

export async function findAccelerator(parts: Parts): Promise<Accelerator> {
  const isThere = await fs.access(KVM_DEVICE, fs.constants.R_OK | fs.constants.W_OK).then(
    () => true,
    () => false,
  );
  return isThere && (await startsWithKvm(parts)) ? 'kvm' : 'tcg';
}

async function startsWithKvm({ architecture, qemu, perl, busybox, kernel }: Parts): Promise<boolean> {
  const as = await machineUser('kvm');
  const archive = initramfs([
    { kind: 'folder', path: 'bin' },
    { kind: 'folder', path: 'dev' },
    { kind: 'device', path: 'dev/console', major: 5, minor: 1 },
    { kind: 'file', path: 'bin/busybox', content: await fs.readFile(busybox), executable: true },
    { kind: 'file', path: 'init', content: Buffer.from(TRIAL_INIT), executable: true },
  ]);
  const folder = await createMachineFolder({ kernel, initramfs: archive }, as);
  await folder.handOver();
  const machine = bareMachine({ ...folder, architecture, accelerator: 'kvm', cpus: 1 });
  const trial = startHostProcess(perl, machineLaunch({ architecture, as, argv: [qemu, ...machine, '-m', '256M'] }));
  const deadline = setTimeout(() => trial.kill(), TRY_MS);
  try {
    await trial.printed(SIGN);
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(deadline);
    trial.kill();
    await trial.ended;
    await folder.remove();
  }
}
