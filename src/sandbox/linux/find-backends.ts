/** The backends of a Linux machine, put together with what they share, each known to work or known why not. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { messageOf } from '../../core/errors.js';
import type { AbsolutePath } from '../../core/paths.js';
import type { BackendName } from '../backend.js';
import type { Candidate } from '../choose-backend.js';
import { createNetworkProxy } from '../network/proxy.js';
import { upstreamProxy } from '../network/upstream-proxy.js';
import { once } from '../../core/once.js';
import { openRunner } from '../runner/runner.js';
import type { Runner } from '../runner/runner.js';
import { createBubblewrapBackend } from './bubblewrap-backend.js';
import { createCellBackend } from './cell-backend.js';
import type { CellOptions } from './cell-backend.js';
import { createCommandNetwork } from './command-network.js';
import type { CommandNetwork } from './command-network.js';
import { findControlGroups } from './control-groups.js';
import type { ControlGroups } from './control-groups.js';
import { createFenceBackend } from './fence-backend.js';
import { findDevices } from './find-devices.js';
import { openRoom } from './open-room.js';
import { probeLinux } from './probe.js';
import type { LinuxProbe } from './probe.js';
import { rememberedProbe } from './remembered-probe.js';
import type { Architecture } from './system-calls.js';

export type LinuxOptions = {
  /** Where the runner and what was found out are kept; nobody else may write to it. */
  readonly cacheFolder: AbsolutePath;
  readonly remember: boolean;
  readonly untrusted: readonly AbsolutePath[];
  readonly judgeHost?: CellOptions['judgeHost'];
  /** The root folder of the chroot backend. */
  readonly root?: AbsolutePath | undefined;
};

export interface LinuxBackends {
  /** Those that `auto` may choose from come first, the best first. */
  find(): Promise<readonly Candidate[]>;
  close(): Promise<void>;
}

export function createLinuxBackends(options: LinuxOptions): LinuxBackends {
  const identity = { user: process.getuid?.() ?? 0, group: process.getgid?.() ?? 0 };
  const shared = once(async () => {
    const architecture = supportedArchitecture();
    const runner = openRunner(architecture, [options.cacheFolder, '/dev/shm', os.tmpdir()]);
    const network = createCommandNetwork(
      () => openRoom(runner, architecture, identity),
      createNetworkProxy(upstreamProxy(process.env)),
    );
    const context = { runner, architecture, identity, untrusted: options.untrusted };
    const probe = await (options.remember ? rememberedProbe(context, options.cacheFolder) : probeLinux(context));
    const groups = findControlGroups(identity.user);
    return { architecture, runner, network, probe, groups };
  });

  return {
    async find() {
      try {
        const parts = await shared();
        return candidates({ ...parts, identity, ...options });
      } catch (error) {
        return LINUX_NAMES.map((name) => ({ kind: 'broken', name, reason: messageOf(error) }));
      }
    },
    close: once(async () => {
      const parts = await shared.started()?.catch(() => undefined);
      await parts?.network.close();
      await parts?.groups.close();
      parts?.runner.close();
    }),
  };
}

const LINUX_NAMES: readonly BackendName[] = ['cell', 'bubblewrap', 'landlock'];

function supportedArchitecture(): Architecture {
  const { arch } = process;
  if (arch === 'x64' || arch === 'arm64') return arch;
  throw new Error(`there is no runner for ${arch}`);
}

type Parts = LinuxOptions & {
  readonly architecture: Architecture;
  readonly runner: Runner;
  readonly network: CommandNetwork;
  readonly probe: LinuxProbe;
  readonly groups: ControlGroups;
  readonly identity: CellOptions['identity'];
};

function candidates(parts: Parts): readonly Candidate[] {
  const { probe, runner, identity, architecture, network, groups, judgeHost, root } = parts;
  const { landlock, openat2 } = probe;
  const abilities = { architecture, landlock, openat2, freshProc: true, watches: true, ...findDevices() };
  const cell = (change: Partial<CellOptions>): CellOptions => ({
    runner,
    identity,
    network,
    groups,
    judgeHost,
    abilities: probe.cell.works
      ? { ...abilities, freshProc: probe.cell.freshProc, watches: probe.cell.watches }
      : abilities,
    ...change,
  });
  return [
    probe.cell.works ? works(createCellBackend(cell({}))) : { kind: 'broken', name: 'cell', reason: probe.cell.reason },
    probe.bubblewrap.works
      ? works(
          createBubblewrapBackend({
            runner,
            abilities: { ...abilities, watches: probe.bubblewrap.watches },
            file: probe.bubblewrap.file,
          }),
        )
      : { kind: 'broken', name: 'bubblewrap', reason: probe.bubblewrap.reason },
    probe.fence.works
      ? works(createFenceBackend({ runner, abilities: { ...abilities, watches: probe.fence.watches }, groups }))
      : { kind: 'broken', name: 'landlock', reason: probe.fence.reason },
    chrootCandidate(probe, root, cell),
  ];
}

function works(backend: Extract<Candidate, { kind: 'works' }>['backend']): Candidate {
  return { kind: 'works', backend };
}

function chrootCandidate(
  { cell: probed }: LinuxProbe,
  root: AbsolutePath | undefined,
  cell: (change: Partial<CellOptions>) => CellOptions,
): Candidate {
  const broken = (reason: string): Candidate => ({ kind: 'broken', name: 'chroot', reason });
  if (!probed.works) return broken(probed.reason);
  if (root === undefined) return broken('no root folder is configured (sandbox.chroot_root)');
  const isRoot = fs.statSync(path.join(root, 'bin'), { throwIfNoEntry: false })?.isDirectory();
  return isRoot ? works(createCellBackend(cell({ root }))) : broken(`${root} is no root folder: it has no bin`);
}
