/**
 * A virtual machine that stays, for the commands of one policy. Three processes hold it up: the one that serves the host's
 * files, the machine, and this one. Whichever ends takes the others with it.
 */
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { availableParallelism } from 'node:os';

import { ConfigError, messageOf } from '../../core/errors.js';
import type { Process } from '../../core/workspace.js';
import type { ResolvedPolicy } from '../policy.js';
import { findAccelerator } from './accelerator.js';
import type { Caller } from './agent-script.js';
import { guestArchive } from './guest-archive.js';
import { guestArguments } from './guest-arguments.js';
import type { Accelerator } from './guest-arguments.js';
import { createGuestCommands } from './guest-commands.js';
import type { GuestCommand, GuestCommands } from './guest-commands.js';
import { startHostProcess } from './host-process.js';
import type { HostProcess } from './host-process.js';
import { SHARE_DESCRIPTOR, VIEW_READY, machineLaunch, viewLaunch } from './host-scripts.js';
import { createMachineFolder } from './machine-folder.js';
import type { MachineFolder } from './machine-folder.js';
import { machineUser } from './machine-user.js';
import type { MachineUser } from './machine-user.js';
import { findParts } from './parts.js';
import type { PartOptions, Parts } from './parts.js';
import { tryView } from './try-view.js';
import { viewSteps } from './view-steps.js';
import { virtiofsdArguments } from './virtiofsd-arguments.js';

export type GuestOptions = PartOptions & {
  readonly resolved: ResolvedPolicy;
  /** As a probe has found it. Without one it is tried, which takes its time. */
  readonly accelerator?: Accelerator;
  /** What the guest has for itself; the limit of a command's memory comes on top. Default 1 GiB. */
  readonly memoryBytes?: number;
  /** Default: half of the host's. */
  readonly cpus?: number;
  readonly bootMs?: number;
};

export interface Guest {
  spawn(command: GuestCommand): Promise<Process>;
  /** Ends the guest and everything in it. */
  close(): Promise<void>;
}

const DEFAULT_MEMORY_BYTES = 1024 ** 3;
/** Without acceleration, on a busy host, a kernel takes its time. */
const DEFAULT_BOOT_MS = 90_000;

/** Throws a `ConfigError` that says what is missing, or what the guest said last. */
export async function createGuest(options: GuestOptions): Promise<Guest> {
  const found = await findParts(options);
  if (found.kind === 'missing') throw new ConfigError(found.reason);
  await tryView(found.parts);
  const accelerator = options.accelerator ?? (await findAccelerator(found.parts));
  const user = await machineUser(accelerator);
  const archive = await guestArchive(found.parts, options.resolved, callerOf(process));
  const folder = await createMachineFolder({ kernel: found.parts.kernel, initramfs: archive }, user);
  const holders: Holders = {};
  try {
    return await boot({ options, parts: found.parts, accelerator, user, folder }, holders);
  } catch (error) {
    await endAll(holders);
    throw new ConfigError(`the virtual machine did not start: ${messageOf(error)}`, { cause: error });
  } finally {
    await folder.remove();
  }
}

type Plan = {
  readonly options: GuestOptions;
  readonly parts: Parts;
  readonly accelerator: Accelerator;
  readonly user: MachineUser | undefined;
  readonly folder: MachineFolder;
};

type Holders = { files?: HostProcess; machine?: HostProcess };

/** Whatever it starts it adds to `holders`, so that all of it is ended if it fails. */
async function boot(plan: Plan, holders: Holders): Promise<Guest> {
  const files = startFiles(plan);
  holders.files = files;
  await files.printed(VIEW_READY);
  const server = await listen(plan.folder.agentSocket);
  try {
    await plan.folder.handOver();
    const machine = startMachine(plan);
    holders.machine = machine;
    // Without its files a guest would wait for them forever.
    void files.ended.then(() => machine.kill());
    const commands = await agentOf(server, holders, plan.options.bootMs ?? DEFAULT_BOOT_MS);
    return {
      spawn: async (command) => commands.spawn(command),
      close: () => endAll(holders),
    };
  } finally {
    server.close();
  }
}

function startFiles({ options, parts, folder }: Plan): HostProcess {
  const { architecture, perl, virtiofsd } = parts;
  const share = { kind: virtiofsd.kind, folder: folder.stage, descriptor: SHARE_DESCRIPTOR };
  const argv = [virtiofsd.file, ...virtiofsdArguments(share)];
  const steps = viewSteps(options.resolved, folder);
  return startHostProcess(perl, viewLaunch({ architecture, socket: folder.filesSocket, steps, argv }));
}

function startMachine({ options, parts, accelerator, user, folder }: Plan): HostProcess {
  const { architecture, perl, qemu } = parts;
  const machine = guestArguments(options.resolved, {
    ...folder,
    architecture,
    accelerator,
    cpus: options.cpus ?? Math.max(1, Math.floor(availableParallelism() / 2)),
    memoryBytes: options.memoryBytes ?? DEFAULT_MEMORY_BYTES,
  });
  return startHostProcess(perl, machineLaunch({ architecture, as: user, argv: [qemu, ...machine] }));
}

function listen(socket: string): Promise<Server> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(socket, () => resolve(server));
  });
}

/** Waits until the agent of the guest has said that it listens. */
async function agentOf(server: Server, holders: Holders, bootMs: number): Promise<GuestCommands> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it was not ready after ${bootMs} ms`)), bootMs);
  });
  const gone = Object.values(holders).map(({ ended }) => ended.then(() => Promise.reject(new Error('it ended'))));
  try {
    return await Promise.race([greeted(server, holders), late, ...gone]);
  } catch (error) {
    // Only then has everything it said arrived.
    await endAll(holders);
    const said = Object.entries(holders).map(([name, holder]) => `${name}: ${holder.lastLines()}`);
    throw new Error(`${messageOf(error)}. The last it said:\n${said.join('\n')}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function greeted(server: Server, holders: Holders): Promise<GuestCommands> {
  return new Promise((resolve, reject) => {
    server.once('connection', (port: Socket) => {
      const commands = createGuestCommands(port, {
        onReady: () => resolve(commands),
        onOver: (reason) => {
          reject(new Error(reason));
          void endAll(holders);
        },
      });
    });
  });
}

/** The machine is not asked. Whoever serves its files ends with it, and has children of its own to see off. */
async function endAll({ machine, files }: Holders): Promise<void> {
  machine?.kill();
  await machine?.ended;
  if (machine === undefined) files?.kill();
  await files?.endSoon();
}

function callerOf({ getuid, getgid, getgroups }: NodeJS.Process): Caller {
  return { uid: getuid?.() ?? 0, gid: getgid?.() ?? 0, groups: getgroups?.() ?? [] };
}
