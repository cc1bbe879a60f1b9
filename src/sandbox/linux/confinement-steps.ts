/** The last steps before a command, the same in every Linux backend: nothing left to gain, Landlock, seccomp, and go. */
import { createProgram } from '../runner/program.js';
import type { Address, Beginning, Program, ProgramBuilder, Result, StepOptions } from '../runner/program.js';
import type { Limits } from '../policy.js';
import {
  ALL_DESCRIPTORS,
  AT_FDCWD,
  CAPABILITIES,
  CAPABILITY_VERSION_3,
  CLOSE_RANGE_CLOEXEC,
  O_NOFOLLOW,
  O_PATH,
  O_WRONLY_CLOEXEC,
  PR_CAPBSET_DROP,
  PR_CAP_AMBIENT,
  PR_CAP_AMBIENT_CLEAR_ALL,
  PR_SET_NO_NEW_PRIVS,
  PR_SET_PDEATHSIG,
  RESOLVE_NO_MAGICLINKS,
  RESOLVE_NO_SYMLINKS,
  RLIMIT_CORE,
  RLIMIT_CPU,
  RLIMIT_FSIZE,
  RLIMIT_NPROC,
  SECCOMP_FILTER_FLAG_NEW_LISTENER,
  SECCOMP_SET_MODE_FILTER,
  SIGKILL,
} from './flags.js';
import type { Target } from './launch.js';
import { words } from './words.js';
import { RULE_PATH_BENEATH, fileRights, rulesetAttribute } from './landlock.js';
import type { RulesetOptions } from './landlock.js';

/** Lines of a file of the kernel's own, such as a map of users. */
export function writeFile(program: ProgramBuilder, what: string, file: string, text: string): void {
  const opened = program.open(what, 'openat', [AT_FDCWD, program.text(file), O_WRONLY_CLOEXEC, 0]);
  program.call(what, 'write', [opened, program.text(text), Buffer.byteLength(text)]);
  program.close(opened);
}

/**
 * Places are real paths. A link on the way was put there since somebody looked, and is not followed. Inside of another
 * sandbox the call for that may be missing; there, only a link at the end is noticed.
 */
export function openReal(program: ProgramBuilder, what: string, place: string, options: StepOptions = {}): Result {
  if (!program.openat2) {
    const flags = O_PATH | O_NOFOLLOW[program.architecture];
    return program.open(what, 'openat', [AT_FDCWD, program.text(place), flags, 0], options);
  }
  const how = program.bytes(words([BigInt(O_PATH), 0n, BigInt(RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS)]));
  return program.open(what, 'openat2', [AT_FDCWD, program.text(place), how, 24], options);
}

/** Before anything else: later, the files of the groups are out of reach. */
export function joinGroups(program: ProgramBuilder, groups: readonly string[]): void {
  for (const group of groups) writeFile(program, `joining the control group ${group}`, group, '0');
}

export function dieWithParent(program: ProgramBuilder): void {
  program.call('tying the command to its launcher', 'prctl', [PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0]);
}

export function setLimits(program: ProgramBuilder, { cpuSeconds, fileBytes, processes }: Limits): void {
  const limits = [
    ['core dumps', RLIMIT_CORE, 0],
    ['processor time', RLIMIT_CPU, cpuSeconds],
    ['file size', RLIMIT_FSIZE, fileBytes],
    ['processes', RLIMIT_NPROC, processes],
  ] as const;
  for (const [name, number, limit] of limits) {
    if (limit === undefined) continue;
    const most = BigInt(Math.ceil(limit));
    // It is refused only where a lower one holds already, which is as good.
    program.call(`limiting ${name}`, 'prlimit64', [0, number, program.bytes(words([most, most])), 0], {
      mayFail: true,
    });
  }
}

/** Capabilities go first from what could ever be had, then from what is held. */
export function dropPrivileges(program: ProgramBuilder): void {
  for (let capability = 0; capability < CAPABILITIES; capability++)
    program.call('dropping capabilities', 'prctl', [PR_CAPBSET_DROP, capability, 0, 0, 0], { mayFail: true });
  program.call('dropping capabilities', 'prctl', [PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0]);
  const head = Buffer.alloc(8);
  head.writeUInt32LE(CAPABILITY_VERSION_3, 0);
  program.call('dropping capabilities', 'capset', [program.bytes(head), program.bytes(new Uint8Array(24))]);
  noNewPrivileges(program);
}

export function noNewPrivileges(program: ProgramBuilder): void {
  program.call('giving up new privileges', 'prctl', [PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0]);
}

/** A place and what may be done in it; what is not a folder takes fewer rights. */
export type LandlockRule = {
  readonly path: string;
  readonly rights: bigint;
  readonly isFolder: boolean;
  /** It may be gone by then; who cannot be given a right goes without. */
  readonly optional?: boolean;
};

/** Made before anything is watched, so that only the command's own calls are seen. */
export function makeRuleset(
  program: ProgramBuilder,
  abi: number,
  rules: readonly LandlockRule[],
  options: RulesetOptions = {},
): Result {
  const bytes = rulesetAttribute(abi, options);
  const ruleset = program.open('making a Landlock ruleset', 'landlock_create_ruleset', [
    program.bytes(bytes),
    bytes.length,
    0,
  ]);
  for (const { path, rights, isFolder, optional = false } of rules) {
    const allowed = isFolder ? rights : rights & fileRights(abi);
    const rule = program.bytes(Buffer.concat([words([allowed]), Buffer.alloc(8)]));
    const store: Address = { kind: 'address', offset: rule.offset + 8 };
    const place = openReal(program, `allowing ${path}`, path, { store, mayFail: optional });
    program.call(`allowing ${path}`, 'landlock_add_rule', [ruleset, RULE_PATH_BENEATH, rule, 0], { mayFail: optional });
    program.close(place);
  }
  allowOwnStreams(program, ruleset, abi);
  return ruleset;
}

export function enterRuleset(program: ProgramBuilder, ruleset: Result): void {
  program.call('entering Landlock', 'landlock_restrict_self', [ruleset, 0]);
  program.close(ruleset);
}

/** So that `/dev/stdout` can be opened again; a pipe without a name needs no rule and takes none. */
function allowOwnStreams(program: ProgramBuilder, ruleset: Result, abi: number): void {
  for (const descriptor of [0, 1, 2]) {
    const attribute = Buffer.concat([words([fileRights(abi)]), Buffer.alloc(8)]);
    attribute.writeInt32LE(descriptor, 8);
    program.call(
      'allowing its own streams',
      'landlock_add_rule',
      [ruleset, RULE_PATH_BENEATH, program.bytes(attribute), 0],
      {
        mayFail: true,
      },
    );
  }
}

export function loadFilter(program: ProgramBuilder, what: string, filter: Uint8Array): void {
  program.call(what, 'seccomp', [SECCOMP_SET_MODE_FILTER, 0, filterHead(program, filter)]);
}

/** The same with a listener, whose descriptor is stored there. */
export function loadWatchingFilter(program: ProgramBuilder, filter: Uint8Array, store: Address): void {
  const args = [SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, filterHead(program, filter)];
  program.call('watching system calls', 'seccomp', args, { store });
}

function filterHead(program: ProgramBuilder, filter: Uint8Array): Address {
  const head = Buffer.alloc(16);
  head.writeUInt16LE(filter.length / 8, 0);
  return program.structure(head, [{ at: 8, to: program.bytes(filter) }]);
}

/** Everything before this is the same for every command under a policy. */
export function becomeCommand(beginning: Beginning, { file, argv, env, cwd }: Target): Program {
  const program = createProgram(beginning.architecture, { beginning });
  program.call(CHANGE_FOLDER, 'chdir', [program.text(cwd)]);
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  program.call(EXEC, 'execve', [program.text(file), program.texts(argv), program.texts(variables)]);
  return program.build();
}

/** On the way to the command, only its own three streams stay open. */
export function closeDescriptors(program: ProgramBuilder): void {
  program.call('closing descriptors', 'close_range', [3, ALL_DESCRIPTORS, CLOSE_RANGE_CLOEXEC]);
}

/** The step that is the command's own fault. */
export const EXEC = 'starting the command';
export const CHANGE_FOLDER = 'changing to its folder';
