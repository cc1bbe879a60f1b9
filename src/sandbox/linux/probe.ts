/** What confinement works here, found out by trying each for real on a command that does nothing. */
import { absolutePath } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';
import { findOwnProgram } from '../find-program.js';
import { NOTHING_ALLOWED } from '../policy.js';
import { createProgram } from '../runner/program.js';
import type { Beginning } from '../runner/program.js';
import { runProgram } from '../runner/run-program.js';
import { RUNNER_PATH } from '../runner/runner.js';
import type { Runner } from '../runner/runner.js';
import { bubblewrapArguments, compileInside } from './bubblewrap.js';
import { compileCell } from './cell.js';
import type { Identity } from './cell.js';
import { becomeCommand, openReal } from './confinement-steps.js';
import { compileFence } from './fence.js';
import { findDevices } from './find-devices.js';
import { CREATE_RULESET_VERSION } from './landlock.js';
import type { Abilities, Request, Target } from './launch.js';
import type { Architecture } from './system-calls.js';

export type LinuxProbe = {
  /** The version of Landlock; 0 when there is none. */
  readonly landlock: number;
  readonly openat2: boolean;
  readonly cell: (Works & { readonly freshProc: boolean }) | Broken;
  readonly bubblewrap: (Works & { readonly file: AbsolutePath }) | Broken;
  readonly fence: Works | Broken;
};

/** `watches`: also with its system calls watched. */
type Works = { readonly works: true; readonly watches: boolean };
type Broken = { readonly works: false; readonly reason: string };

export type ProbeContext = {
  readonly runner: Runner;
  readonly architecture: Architecture;
  readonly identity: Identity;
  /** Folders in which no program is looked for. */
  readonly untrusted: readonly AbsolutePath[];
};

export async function probeLinux(context: ProbeContext): Promise<LinuxProbe> {
  const { landlock, openat2 } = await kernelAbilities(context);
  if (landlock === 0) {
    const none: Broken = { works: false, reason: 'this kernel has no Landlock, or it is switched off' };
    return { landlock, openat2, cell: none, bubblewrap: none, fence: none };
  }
  const { architecture } = context;
  const abilities = { architecture, landlock, openat2, freshProc: true, watches: true, ...findDevices() };
  const [cell, bubblewrap, fence] = await Promise.all([
    probeCell(abilities, context),
    probeBubblewrap(abilities, context),
    probeFence(abilities, context),
  ]);
  return { landlock, openat2, cell, bubblewrap, fence };
}

async function kernelAbilities({
  runner,
  architecture,
}: ProbeContext): Promise<Pick<LinuxProbe, 'landlock' | 'openat2'>> {
  const program = createProgram(architecture);
  const answers = program.bytes(new Uint8Array(8));
  const second = { kind: 'address', offset: answers.offset + 4 } as const;
  const version = [0, 0, CREATE_RULESET_VERSION];
  program.call('asking for Landlock', 'landlock_create_ruleset', version, { mayFail: true, store: answers });
  openReal(program, 'asking for openat2', '/', { mayFail: true, store: second });
  program.call('telling it', 'write', [1, answers, 8]);
  const { output } = await runProgram(program.build(), runner);
  if (output.length !== 8) return { landlock: 0, openat2: false };
  return { landlock: Math.max(0, output.readInt32LE(0)), openat2: output.readInt32LE(4) >= 0 };
}

/** Tries with everything first, then with less; gives what worked, or why the first did not. */
async function firstThatWorks<Found extends Works>(
  tries: readonly Found[],
  problemWithOne: (one: Found) => Promise<string | undefined>,
): Promise<Found | Broken> {
  let reason: string | undefined;
  for (const one of tries) {
    const problem = await problemWithOne(one);
    if (problem === undefined) return one;
    reason ??= problem;
  }
  return { works: false, reason: reason ?? '' };
}

function probeCell(abilities: Abilities, { identity, runner }: ProbeContext): Promise<LinuxProbe['cell']> {
  const tries = [true, false].flatMap((freshProc) =>
    [true, false].map((watches) => ({ works: true, freshProc, watches }) as const),
  );
  return firstThatWorks(tries, (one) =>
    problemWith(compileCell({ ...request({ ...abilities, ...one }), identity }), [RUNNER_PATH], runner),
  );
}

async function probeBubblewrap(
  abilities: Abilities,
  { runner, untrusted }: ProbeContext,
): Promise<LinuxProbe['bubblewrap']> {
  const file = findOwnProgram('bwrap', untrusted);
  if (file === undefined) return { works: false, reason: 'bwrap is not installed' };
  const before = bubblewrapArguments(NOTHING_ALLOWED, { file, terminal: false });
  const tries = [true, false].map((watches) => ({ works: true, watches, file }) as const);
  return firstThatWorks(tries, (one) =>
    problemWith(compileInside(request({ ...abilities, ...one })), [...before, RUNNER_PATH], runner),
  );
}

function probeFence(abilities: Abilities, { runner }: ProbeContext): Promise<LinuxProbe['fence']> {
  const tries = [true, false].map((watches) => ({ works: true, watches }) as const);
  const readable = [{ path: absolutePath('/'), isFolder: true }];
  return firstThatWorks(tries, (one) =>
    problemWith(compileFence({ ...request({ ...abilities, ...one }), readable }), [RUNNER_PATH], runner),
  );
}

const DOES_NOTHING: Target = { file: '/bin/sh', argv: ['sh', '-c', ':'], env: {}, cwd: absolutePath('/') };

function request(abilities: Abilities): Request {
  return { policy: NOTHING_ALLOWED, abilities, evidence: abilities.watches ? 'network' : 'none', groups: [] };
}

async function problemWith(beginning: Beginning, argv: readonly string[], runner: Runner): Promise<string | undefined> {
  const { code, problem, errors } = await runProgram(becomeCommand(beginning, DOES_NOTHING), runner, argv);
  if (code === 0 && problem === undefined) return undefined;
  return problem ?? (errors || `the trial ended with code ${code}`);
}
