/** What confinement works here, found out by trying each for real on a command that does nothing. */
import { absolutePath } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';
import { findOwnProgram } from '../find-program.js';
import type { ResolvedPolicy } from '../policy.js';
import { createProgram } from '../runner/program.js';
import type { Beginning } from '../runner/program.js';
import { runProgram } from '../runner/run-program.js';
import { RUNNER_PATH } from '../runner/runner.js';
import type { Runner } from '../runner/runner.js';
import { bubblewrapArguments, compileInside } from './bubblewrap.js';
import { compileCell } from './cell.js';
import type { Identity } from './cell.js';
import { becomeCommand } from './confinement-steps.js';
import { compileFence } from './fence.js';
import { findDevices } from './find-devices.js';
import { CREATE_RULESET_VERSION } from './landlock.js';
import type { Abilities, Request, Target } from './launch.js';
import type { Architecture } from './system-calls.js';

export type LinuxProbe = {
  /** The version of Landlock; 0 when there is none. */
  readonly landlock: number;
  readonly cell: { readonly works: true; readonly freshProc: boolean } | Broken;
  readonly bubblewrap: { readonly works: true; readonly file: AbsolutePath } | Broken;
  readonly fence: { readonly works: true } | Broken;
};

type Broken = { readonly works: false; readonly reason: string };

export type ProbeContext = {
  readonly runner: Runner;
  readonly architecture: Architecture;
  readonly identity: Identity;
};

export async function probeLinux(context: ProbeContext): Promise<LinuxProbe> {
  const landlock = await landlockVersion(context);
  if (landlock === 0) {
    const none: Broken = { works: false, reason: 'this kernel has no Landlock, or it is switched off' };
    return { landlock, cell: none, bubblewrap: none, fence: none };
  }
  const abilities = { architecture: context.architecture, landlock, freshProc: true, ...findDevices() };
  const [cell, bubblewrap, fence] = await Promise.all([
    probeCell(abilities, context),
    probeBubblewrap(abilities, context),
    probeFence(abilities, context),
  ]);
  return { landlock, cell, bubblewrap, fence };
}

async function landlockVersion({ runner, architecture }: ProbeContext): Promise<number> {
  const program = createProgram(architecture);
  const version = program.bytes(new Uint8Array(8));
  const args = [0, 0, CREATE_RULESET_VERSION];
  program.call('asking for Landlock', 'landlock_create_ruleset', args, { mayFail: true, store: version });
  program.call('telling it', 'write', [1, version, 4]);
  const { output } = await runProgram(program.build(), runner);
  return output.length === 4 ? Math.max(0, output.readInt32LE(0)) : 0;
}

async function probeCell(abilities: Abilities, context: ProbeContext): Promise<LinuxProbe['cell']> {
  const attempt = (freshProc: boolean): Promise<string | undefined> =>
    problemWith(
      compileCell({ ...request({ ...abilities, freshProc }), identity: context.identity }),
      [RUNNER_PATH],
      context.runner,
    );
  const problem = await attempt(true);
  if (problem === undefined) return { works: true, freshProc: true };
  return (await attempt(false)) === undefined ? { works: true, freshProc: false } : { works: false, reason: problem };
}

async function probeBubblewrap(abilities: Abilities, { runner }: ProbeContext): Promise<LinuxProbe['bubblewrap']> {
  const file = findOwnProgram('bwrap');
  if (file === undefined) return { works: false, reason: 'bwrap is not installed' };
  const before = bubblewrapArguments(NOTHING_ALLOWED, { file, terminal: false });
  const problem = await problemWith(compileInside(request(abilities)), [...before, RUNNER_PATH], runner);
  return problem === undefined ? { works: true, file } : { works: false, reason: problem };
}

async function probeFence(abilities: Abilities, { runner }: ProbeContext): Promise<LinuxProbe['fence']> {
  const program = compileFence({ ...request(abilities), readable: [{ path: '/', isFolder: true }] });
  const problem = await problemWith(program, [RUNNER_PATH], runner);
  return problem === undefined ? { works: true } : { works: false, reason: problem };
}

const NOTHING_ALLOWED: ResolvedPolicy = {
  writable: [],
  protected: [],
  pinned: [],
  granted: [],
  hidden: [],
  links: [],
  absent: [],
  network: { kind: 'hosts', allowed: [] },
  unixSockets: 'none',
  limits: {},
};

const DOES_NOTHING: Target = { file: '/bin/sh', argv: ['sh', '-c', ':'], env: {}, cwd: absolutePath('/') };

function request(abilities: Abilities): Request {
  return { policy: NOTHING_ALLOWED, abilities, evidence: 'network', groups: [] };
}

async function problemWith(beginning: Beginning, argv: readonly string[], runner: Runner): Promise<string | undefined> {
  const { code, problem, errors } = await runProgram(becomeCommand(beginning, DOES_NOTHING), runner, argv);
  if (code === 0 && problem === undefined) return undefined;
  return problem ?? (errors || `the trial ended with code ${code}`);
}
