/** The files a machine is started from and its sockets, in a folder that nobody else can enter. Gone once it runs. */
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import type { MachineUser } from './machine-user.js';

export type MachineFolder = {
  readonly kernel: string;
  readonly initramfs: string;
  readonly filesSocket: string;
  readonly agentSocket: string;
  /** A folder and a file, both empty. */
  readonly stage: string;
  readonly emptyFile: string;
  /** Lets the machine's user have what has been put there. */
  handOver(): Promise<void>;
  remove(): Promise<void>;
};

export type MachineFiles = { readonly kernel: string; readonly initramfs: Uint8Array };

export async function createMachineFolder(files: MachineFiles, user: MachineUser | undefined): Promise<MachineFolder> {
  const folder = await fs.mkdtemp(path.join(await fs.realpath(os.tmpdir()), 'tenon-vm-'));
  const at = (name: string): string => path.join(folder, name);
  const remove = (): Promise<void> => fs.rm(folder, { recursive: true, force: true });
  try {
    // A copy, because a kernel may be readable for the superuser only.
    await fs.copyFile(files.kernel, at('kernel'), fs.constants.COPYFILE_FICLONE);
    await fs.chmod(at('kernel'), 0o400);
    await fs.writeFile(at('initramfs'), files.initramfs, { mode: 0o400 });
    await fs.writeFile(at('empty'), '', { mode: 0o444 });
    await fs.mkdir(at('stage'));
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    kernel: at('kernel'),
    initramfs: at('initramfs'),
    filesSocket: at('files.sock'),
    agentSocket: at('agent.sock'),
    stage: at('stage'),
    emptyFile: at('empty'),
    async handOver() {
      if (user === undefined) return;
      const names = (await fs.readdir(folder)).filter((name) => name !== 'stage' && name !== 'empty');
      for (const name of names) await fs.chown(at(name), user.uid, user.gid);
      await fs.chown(folder, user.uid, user.gid);
    },
    remove,
  };
}
