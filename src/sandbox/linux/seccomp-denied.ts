/**
 * Calls that no confined command has a use for: they reach other processes, change the machine, undo the confinement,
 * or act by an engine that a filter cannot look into.
 */
import { ALLOW, NOT_IMPLEMENTED, NOT_PERMITTED } from './seccomp-rules.js';
import type { Rule } from './seccomp-rules.js';
import type { SystemCall } from './system-calls.js';

export function denialRules(): readonly Rule[] {
  return [
    ...DENIED_CALLS.map((call): Rule => ({ call, action: NOT_PERMITTED })),
    // Its flags lie in memory, where a filter cannot see them. Every C library falls back to `clone`.
    { call: 'clone3', action: NOT_IMPLEMENTED },
    { call: 'clone', when: [{ argument: 0, anyBitOf: NAMESPACE_FLAGS }], action: NOT_PERMITTED },
    { call: 'ioctl', when: [{ argument: 1, oneOf: TERMINAL_REQUESTS }], action: NOT_PERMITTED },
    { call: 'personality', when: [{ argument: 0, oneOf: PERSONALITIES }], action: ALLOW },
    { call: 'personality', action: NOT_PERMITTED },
  ];
}

const DENIED_CALLS: readonly SystemCall[] = [
  // Other processes.
  'ptrace',
  'process_vm_readv',
  'process_vm_writev',
  'pidfd_getfd',
  'kcmp',
  'migrate_pages',
  'move_pages',
  // Engines.
  'io_uring_setup',
  'io_uring_enter',
  'io_uring_register',
  'bpf',
  'perf_event_open',
  'userfaultfd',
  // Keys of the user, which belong to no namespace.
  'add_key',
  'request_key',
  'keyctl',
  // Mounts, roots and namespaces.
  'mount',
  'umount2',
  'pivot_root',
  'chroot',
  'open_tree',
  'open_tree_attr',
  'move_mount',
  'mount_setattr',
  'fsopen',
  'fsconfig',
  'fsmount',
  'fspick',
  'unshare',
  'setns',
  // Files by another way than their path.
  'open_by_handle_at',
  'fanotify_init',
  'fanotify_mark',
  'lookup_dcookie',
  // The machine.
  'kexec_load',
  'kexec_file_load',
  'init_module',
  'finit_module',
  'delete_module',
  'quotactl',
  'quotactl_fd',
  'swapon',
  'swapoff',
  'reboot',
  'acct',
  'settimeofday',
  'clock_settime',
  'adjtimex',
  'clock_adjtime',
  'sethostname',
  'setdomainname',
  'syslog',
  'vhangup',
  'iopl',
  'ioperm',
  'modify_ldt',
  'lsm_set_self_attr',
  'nfsservctl',
  'uselib',
  'ustat',
  'sysfs',
  '_sysctl',
];

/** Mounts, control groups, host names, messages, users, processes and network. That of time has no bit in `clone`. */
const NAMESPACE_FLAGS = 0x7e02_0000;

/** `TIOCSTI`, `TIOCLINUX`, `TIOCCONS` and `TIOCSETD`: they type for the user or change what the terminal is. */
const TERMINAL_REQUESTS = [0x5412, 0x541c, 0x541d, 0x5423] as const;

/** The usual one, addresses without randomness (for debuggers), and the question which one it is. */
const PERSONALITIES = [0, 0x4_0000, 0xffff_ffff] as const;
