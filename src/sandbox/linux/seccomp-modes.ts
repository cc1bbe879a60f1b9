/**
 * Rules against files that give rights to whoever starts them, and against devices. Such a file would outlive the
 * command and work outside of its confinement.
 */
import { NOT_IMPLEMENTED, NOT_PERMITTED } from './seccomp-rules.js';
import type { ArgumentIndex, Rule, Test } from './seccomp-rules.js';
import type { SystemCall } from './system-calls.js';

export function modeRules(): readonly Rule[] {
  return [
    ...MODE_ARGUMENTS.map(([call, mode]): Rule => ({ call, when: [special(mode)], action: NOT_PERMITTED })),
    // Without these flags the mode is not read and holds whatever was there.
    { call: 'open', when: [{ argument: 1, anyBitOf: CREATING }, special(2)], action: NOT_PERMITTED },
    { call: 'openat', when: [{ argument: 2, anyBitOf: CREATING }, special(3)], action: NOT_PERMITTED },
    // Its mode lies in memory. Programs fall back to `openat`.
    { call: 'openat2', action: NOT_IMPLEMENTED },
    { call: 'mknod', when: [device(1)], action: NOT_PERMITTED },
    { call: 'mknodat', when: [device(2)], action: NOT_PERMITTED },
  ];
}

/** Rules against turning other processes' screws, for where they can be seen. By 0 a process means itself. */
export function othersRules(): readonly Rule[] {
  return OTHERS_ARGUMENTS.map(([call, argument]): Rule => ({
    call,
    when: [{ argument, anyBitOf: 0xffff_ffff }],
    action: NOT_PERMITTED,
  }));
}

const OTHERS_ARGUMENTS: readonly (readonly [SystemCall, ArgumentIndex])[] = [
  ['prlimit64', 0],
  ['setpriority', 1],
  ['ioprio_set', 1],
  ['sched_setaffinity', 0],
  ['sched_setparam', 0],
  ['sched_setscheduler', 0],
  ['sched_setattr', 0],
];

/** Rules against cutting files short without opening them for writing, which old versions of Landlock do not see. */
export function truncationRules(): readonly Rule[] {
  return [
    { call: 'truncate', action: NOT_PERMITTED },
    { call: 'open', when: [truncating(1), readOnly(1)], action: NOT_PERMITTED },
    { call: 'openat', when: [truncating(2), readOnly(2)], action: NOT_PERMITTED },
  ];
}

function truncating(argument: ArgumentIndex): Test {
  return { argument, anyBitOf: 0o1000 };
}

function readOnly(argument: ArgumentIndex): Test {
  return { argument, mask: 0o3, oneOf: [0] };
}

const MODE_ARGUMENTS: readonly (readonly [SystemCall, ArgumentIndex])[] = [
  ['chmod', 1],
  ['fchmod', 1],
  ['fchmodat', 2],
  ['fchmodat2', 2],
  ['creat', 1],
  ['mknod', 1],
  ['mknodat', 2],
];

/** `O_CREAT`, and the bit of `O_TMPFILE` that no other flag has. */
const CREATING = 0o2000_0100;

/** Set-user-id or set-group-id. */
function special(argument: ArgumentIndex): Test {
  return { argument, anyBitOf: 0o6000 };
}

/** Of characters or of blocks. */
function device(argument: ArgumentIndex): Test {
  return { argument, mask: 0o17_0000, oneOf: [0o2_0000, 0o6_0000] };
}
