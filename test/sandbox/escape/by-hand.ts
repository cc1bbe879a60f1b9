/** The launcher without what is around it: a program is compiled, perhaps damaged, and run. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';

import { absolutePath } from '../../../src/core/paths.js';
import { bubblewrapArguments, compileInside } from '../../../src/sandbox/linux/bubblewrap.js';
import { compileCell } from '../../../src/sandbox/linux/cell.js';
import type { CellRequest } from '../../../src/sandbox/linux/cell.js';
import { becomeCommand } from '../../../src/sandbox/linux/confinement-steps.js';
import { compileFence } from '../../../src/sandbox/linux/fence.js';
import { findDevices } from '../../../src/sandbox/linux/find-devices.js';
import type { Request } from '../../../src/sandbox/linux/launch.js';
import { openRoom } from '../../../src/sandbox/linux/open-room.js';
import { probeLinux } from '../../../src/sandbox/linux/probe.js';
import type { Place, ResolvedPolicy } from '../../../src/sandbox/policy.js';
import type { RunnerOutcome } from '../../../src/sandbox/runner/outcome.js';
import { HEAD_BYTES } from '../../../src/sandbox/runner/program.js';
import type { Beginning, Program } from '../../../src/sandbox/runner/program.js';
import { RUNNER_PATH, openRunner } from '../../../src/sandbox/runner/runner.js';
import type { Grounds } from './grounds.js';
import { ARCHITECTURE } from './probe.js';
import type { BackendUnderTest, Stand } from './row.js';

export interface Launcher {
  compile(argv: readonly string[]): Program;
  launch(program: Program, inherited?: readonly number[]): Promise<Launched>;
  close(): void;
}

type Launched = { readonly code: number | null; readonly stdout: Buffer; readonly outcome: RunnerOutcome };

/** With a room, as commands get one; `inherited` come after its descriptors. */
export async function openLauncher(grounds: Grounds, { backend }: Stand): Promise<Launcher> {
  const runner = openRunner(ARCHITECTURE, [grounds.home]);
  const identity = { user: process.getuid?.() ?? 0, group: process.getgid?.() ?? 0 };
  const room = await openRoom(runner, ARCHITECTURE, identity);
  const probed = await probeLinux({
    runner,
    architecture: ARCHITECTURE,
    identity,
    untrusted: [absolutePath(grounds.workspace)],
  });
  const policy = policyOf(grounds);
  const before =
    backend === 'bubblewrap' && probed.bubblewrap.works
      ? bubblewrapArguments(policy, { file: probed.bubblewrap.file, terminal: false })
      : [];
  const spaces = backend === 'cell' ? [room.user, room.network, room.ipc] : [];
  return {
    compile(argv) {
      const { landlock, openat2 } = probed;
      const found = { architecture: ARCHITECTURE, landlock, openat2, ...findDevices() };
      const abilities = { ...found, freshProc: true, watches: true };
      const request: Request = { policy, abilities, evidence: 'network', groups: [] };
      const cwd = absolutePath(grounds.workspace);
      return becomeCommand(begin(backend, { ...request, identity, room: ROOM }), {
        file: argv[0] ?? '',
        argv,
        env: { PATH: '/usr/bin:/bin' },
        cwd,
      });
    },
    async launch(program, inherited = []) {
      const loaded = runner.load(program);
      const descriptors = [loaded.descriptor, runner.descriptor, ...spaces, ...inherited];
      const { code, stdout } = await finished([...before, RUNNER_PATH], descriptors);
      const outcome = loaded.outcome();
      loaded.close();
      return { code, stdout, outcome };
    },
    close() {
      room.close();
      runner.close();
    },
  };
}

/** Where the runner finds the namespaces. */
const ROOM = { user: 5, network: 6, ipc: 7 } as const;

function begin(backend: BackendUnderTest, request: CellRequest): Beginning {
  if (backend === 'landlock') return compileFence({ ...request, readable: [EVERYTHING] });
  return backend === 'bubblewrap' ? compileInside(request) : compileCell(request);
}

const EVERYTHING = { path: '/', isFolder: true };

function policyOf({ workspace }: Grounds): ResolvedPolicy {
  return {
    writable: [placeAt(workspace)],
    protected: [placeAt(`${workspace}/.git`)],
    pinned: [],
    granted: [],
    hidden: [],
    links: [],
    absent: [],
    network: { kind: 'hosts', allowed: [] },
    unixSockets: 'none',
    limits: { fileBytes: 1 << 30 },
  };
}

function placeAt(file: string): Place {
  const { dev: device, ino: inode } = fs.statSync(file);
  return { path: absolutePath(file), kind: 'folder', device, inode };
}

function finished(
  [file = '', ...args]: readonly string[],
  descriptors: readonly number[],
): Promise<{ readonly code: number | null; readonly stdout: Buffer }> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: '/', env: {}, stdio: ['ignore', 'pipe', 'ignore', ...descriptors] });
    const printed: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => void printed.push(chunk));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout: Buffer.concat(printed) }));
  });
}

const STEP_BYTES = 64;
/** No kernel has such a call. */
const NO_CALL = 0xffff;

/** The same program, in which these steps fail. */
export function damaged(program: Program, steps: readonly number[]): Program {
  const bytes = Buffer.from(program.bytes);
  for (const step of steps) bytes.writeUInt32LE(NO_CALL, HEAD_BYTES + step * STEP_BYTES);
  return { ...program, bytes };
}
