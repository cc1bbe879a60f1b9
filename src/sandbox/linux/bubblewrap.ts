/**
 * Bubblewrap makes the namespaces and mounts, for machines that allow these to it alone; our runner then does inside what
 * it does in a cell. `/proc` is made read-only, because root could otherwise have the kernel run a program outside.
 */
import { createProgram } from '../runner/program.js';
import type { Beginning } from '../runner/program.js';
import type { Guarantees, Place, ResolvedPolicy } from '../policy.js';
import {
  closeDescriptors,
  dieWithParent,
  dropPrivileges,
  enterRuleset,
  loadFilter,
  makeRuleset,
  noNewPrivileges,
  setLimits,
} from './confinement-steps.js';
import { cellGuarantees, landlockRules } from './cell.js';
import type { Request } from './launch.js';
import { compileFilter } from './seccomp.js';
import { addWatch, watchedCalls } from './watch-steps.js';

export type BubblewrapOptions = {
  /** The whole path of the program. */
  readonly file: string;
  /** With a terminal the command stays in its session, or it could not use it. */
  readonly terminal: boolean;
};

/** What stands before the runner. */
export function bubblewrapArguments(policy: ResolvedPolicy, { file, terminal }: BubblewrapOptions): readonly string[] {
  const { writable, pinned, protected: guarded, granted, hidden, network } = policy;
  const binds = new Map<string, readonly string[]>();
  for (const { path } of [...writable, ...pinned]) binds.set(path, ['--bind', path, path]);
  for (const { path } of guarded) binds.set(path, ['--ro-bind', path, path]);
  for (const { path } of granted) binds.set(path, ['--bind', path, path]);
  const inOrder = [...binds].toSorted(([a], [b]) => a.split('/').length - b.split('/').length);
  return [
    file,
    ...NAMESPACES,
    ...(network.kind === 'open' ? [] : ['--unshare-net']),
    ...(terminal ? [] : ['--new-session']),
    ...ROOT,
    ...inOrder.flatMap(([, words]) => words),
    ...hidden.flatMap(hide),
    ...END,
  ];
}

const NAMESPACES = ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--cap-drop', 'ALL', '--die-with-parent'];
const ROOT = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'];
const END = ['--remount-ro', '/proc', '--chdir', '/', '--'];

function hide({ path, kind }: Place): readonly string[] {
  return kind === 'folder'
    ? ['--perms', '0555', '--tmpfs', path, '--remount-ro', path]
    : ['--ro-bind', '/dev/null', path];
}

export function compileInside({ abilities, policy, evidence }: Request): Beginning {
  const { architecture, landlock } = abilities;
  const program = createProgram(architecture, abilities);
  noNewPrivileges(program);
  const ruleset = makeRuleset(program, landlock, landlockRules(policy, abilities));
  const watch =
    evidence === 'none'
      ? undefined
      : addWatch(program, { calls: watchedCalls(evidence, 'connections'), refuseSockets: false });
  program.fork('starting its first process', { tells: true, ...(watch && { watch }) });
  dieWithParent(program);
  setLimits(program, policy.limits);
  dropPrivileges(program);
  enterRuleset(program, ruleset);
  const filter = compileFilter({ architecture, sockets: 'all-namespaced', unixSockets: false, guardModes: true });
  loadFilter(program, 'filtering system calls', filter);
  closeDescriptors(program);
  return program.asBeginning();
}

/** The proxy's door cannot be made in a network that somebody else makes, and sockets of the machine are not covered. */
export function bubblewrapGuarantees(policy: ResolvedPolicy): Omit<Guarantees, 'limits'> {
  return { ...cellGuarantees(policy, { proxied: false, freshProc: true }), unixSockets: 'none' };
}
