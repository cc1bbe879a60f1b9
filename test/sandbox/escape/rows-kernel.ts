/** Calls that change the machine, its mounts or namespaces, and other processes. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';

import {
  AT_FDCWD,
  CLONE_NEWIPC,
  CLONE_NEWNET,
  CLONE_NEWNS,
  CLONE_NEWPID,
  CLONE_NEWUSER,
} from '../../../src/sandbox/linux/flags.js';
import type { SystemCall } from '../../../src/sandbox/linux/system-calls.js';
import { ARCHITECTURE, OPEN } from './probe.js';
import { by, finding, forRoot } from './row.js';
import type { Row, Try } from './row.js';
import { all } from './rows-files.js';

const NOWHERE = -1;
const CLONE_NEWCGROUP = 0x02000000;
const CLONE_NEWUTS = 0x04000000;
const CLONE_NEWTIME = 0x80;
const isIntel = ARCHITECTURE === 'x64';

export const KERNEL_ROWS: readonly Row[] = [
  {
    id: '20',
    title: 'nothing is mounted or unmounted',
    tries: ({ workspace }) =>
      all('EPERM', {
        mount: (p) => p.call('mount', [p.text('none'), p.text(`${workspace}/folder`), p.text('tmpfs'), 0, 0]),
        'mounting again for writing': (p) => p.call('mount', [0, p.text(workspace), 0, 32, 0]),
        'unmounting .git': (p) => p.call('umount2', [p.text(`${workspace}/.git`), 2]),
        pivot_root: (p) => p.call('pivot_root', [p.text(`${workspace}/folder`), p.text(`${workspace}/folder`)]),
        open_tree: (p) => p.call('open_tree', [NOWHERE, p.text(workspace), 1]),
        open_tree_attr: (p) => p.call('open_tree_attr', [NOWHERE, p.text(workspace), 1, 0, 0]),
        fsopen: (p) => p.call('fsopen', [p.text('tmpfs'), 0]),
        fspick: (p) => p.call('fspick', [NOWHERE, p.text(workspace), 0]),
        fsconfig: (p) => p.call('fsconfig', [NOWHERE, 0, 0, 0, 0]),
        fsmount: (p) => p.call('fsmount', [NOWHERE, 0, 0]),
        move_mount: (p) => p.call('move_mount', [NOWHERE, p.text(''), NOWHERE, p.text(''), 0]),
        mount_setattr: (p) => p.call('mount_setattr', [NOWHERE, p.text(''), 0, 0, 0]),
      }),
    after: ({ workspace }) => [
      finding('mounts of the machine', fs.readFileSync('/proc/self/mountinfo', 'utf8').includes(workspace), false),
    ],
  },
  {
    id: '21',
    title: 'no namespace is made or entered',
    tries: () =>
      all('EPERM', {
        ...Object.fromEntries(
          Object.entries(NAMESPACES).map(([name, flag]): [string, Try['calls']] => [
            `making one of ${name}`,
            (p) => p.call('unshare', [flag]),
          ]),
        ),
        'a child in one of its own': (p) => p.call('clone', [CLONE_NEWUSER | 17, 0, 0, 0, 0]),
        'with the bit in a longer word': (p) =>
          p.call('clone', [0x1_0000_0000n + BigInt(CLONE_NEWNS | 17), 0, 0, 0, 0]),
        'entering one'(p) {
          const own = p.open('/proc/self/ns/user', OPEN.read);
          p.call('setns', [own, 0]);
        },
      }),
  },
  {
    id: '22',
    title: 'the call whose flags cannot be seen does not exist',
    tries: () =>
      all('ENOSYS', {
        clone3: (p) => p.call('clone3', [p.bytes(cloneArguments()), 88]),
        'calls of kernels to come': (p) => p.number(900, []),
        'the next one': (p) => p.number(480, []),
      }),
  },
  {
    id: '23',
    title: 'the root folder is not changed',
    tries: ({ workspace }) =>
      all('EPERM', {
        chroot: (p) => p.call('chroot', [p.text(`${workspace}/folder`)]),
        'and walking out'(p) {
          const top = p.open('/', OPEN.path);
          p.call('chroot', [p.text(`${workspace}/folder`)]);
          p.call('fchdir', [top]);
        },
      }),
  },
  {
    id: '33',
    title: 'there is no engine that acts behind the filter',
    tries: () =>
      all('EPERM', {
        io_uring_setup: (p) => p.call('io_uring_setup', [8, p.bytes(new Uint8Array(120))]),
        io_uring_enter: (p) => p.call('io_uring_enter', [NOWHERE, 1, 0, 0, 0]),
        io_uring_register: (p) => p.call('io_uring_register', [NOWHERE, 0, 0, 0]),
      }),
  },
  {
    id: '35',
    title: 'the rest of what changes the machine',
    tries: () =>
      all('EPERM', {
        personality: (p) => p.call('personality', [0x400000]),
        ...Object.fromEntries(
          MACHINE_CALLS.map((call): [string, Try['calls']] => [call, (p) => p.call(call, [NOWHERE])]),
        ),
      }),
  },
  {
    id: '37',
    title: 'no devices are made or opened',
    tries: ({ workspace }) => [
      ...all('EPERM|EACCES', {
        'a disk in the workspace': (p) => p.call('mknodat', [AT_FDCWD, p.text(`${workspace}/disk`), 0o60600, 0x800]),
        'memory in the workspace': (p) => p.call('mknodat', [AT_FDCWD, p.text(`${workspace}/mem`), 0o20600, 0x101]),
        'the empty device in the workspace': (p) =>
          p.call('mknodat', [AT_FDCWD, p.text(`${workspace}/null`), 0o20600, 0x103]),
      }),
      ...DEVICES.map((name): Try => ({
        name: `/dev/${name}`,
        want: by('ENOENT', fs.existsSync(`/dev/${name}`) ? 'EACCES' : 'ENOENT'),
        calls: (p) => p.open(`/dev/${name}`, OPEN.read),
      })),
      ...all(by('ok', 'ok'), { '/dev/null': (p) => p.open('/dev/null', OPEN.both) }),
    ],
  },
  {
    id: '38',
    title: 'nothing is typed into the terminal of the user',
    tries: () =>
      all('EPERM', {
        TIOCSTI: (p) => p.call('ioctl', [0, 0x5412, p.text('x')]),
        TIOCLINUX: (p) => p.call('ioctl', [0, 0x541c, p.text('\u0002')]),
        TIOCSETD: (p) => p.call('ioctl', [0, 0x5423, p.text('x')]),
        'with bits that the kernel drops': (p) => p.call('ioctl', [0, 0xdead_0000_5412n, p.text('x')]),
      }),
  },
  {
    id: '36',
    title: 'nobody becomes somebody else',
    tries: ({ workspace }) => [
      ...all(forRoot('ok', 'EPERM|EINVAL'), { 'becoming root': (p) => p.call('setresuid', [0, 0, 0]) }),
      ...all('EPERM|EINVAL', {
        'becoming another user': (p) => p.call('setresuid', [12345, 12345, 12345]),
        'another group': (p) => p.call('setresgid', [12345, 12345, 12345]),
        'more groups': (p) => p.call('setgroups', [1, p.bytes(new Uint8Array(4))]),
      }),
      ...all('EPERM', {
        'capabilities of its own': (p) => p.call('capset', [p.bytes(capabilityHead()), p.bytes(everyCapability())]),
        'a file with capabilities': (p) =>
          p.call('setxattr', [
            p.text(`${workspace}/mine`),
            p.text('security.capability'),
            p.bytes(fileCapability()),
            20,
            0,
          ]),
      }),
    ],
  },
  {
    id: '36a',
    title: 'a program of root, run as root by whoever starts it, makes nobody root',
    async story({ programOfRoot, run }, { isRoot }) {
      if (isRoot) return { skip: 'root has nothing to gain' };
      if (!fs.existsSync(programOfRoot)) return { skip: 'only root can leave such a program' };
      // Elsewhere it works, or this would show nothing.
      const outside = execFileSync(programOfRoot, ['-u'], { encoding: 'utf8' });
      if (outside !== '0\n') return { skip: 'the system itself runs no programs as their owner here' };
      const { stdout } = await run(['/bin/sh', '-c', `'${programOfRoot}' -u; '${programOfRoot}' -ru`]);
      const own = process.getuid?.();
      return [finding('who it runs as', stdout, `${own}\n${own}\n`)];
    },
  },
];

const NAMESPACES = {
  users: CLONE_NEWUSER,
  mounts: CLONE_NEWNS,
  processes: CLONE_NEWPID,
  networks: CLONE_NEWNET,
  messages: CLONE_NEWIPC,
  'control groups': CLONE_NEWCGROUP,
  'host names': CLONE_NEWUTS,
  times: CLONE_NEWTIME,
} as const;

const MACHINE_CALLS: readonly SystemCall[] = [
  ...(['bpf', 'perf_event_open', 'userfaultfd', 'add_key', 'request_key', 'keyctl', 'kexec_load'] as const),
  ...(['kexec_file_load', 'init_module', 'finit_module', 'delete_module', 'open_by_handle_at'] as const),
  ...(['fanotify_init', 'fanotify_mark', 'quotactl', 'quotactl_fd', 'swapon', 'swapoff', 'acct'] as const),
  ...(['settimeofday', 'clock_settime', 'adjtimex', 'clock_adjtime', 'sethostname', 'setdomainname'] as const),
  ...(['syslog', 'vhangup', 'migrate_pages', 'move_pages', 'lsm_set_self_attr'] as const),
  ...(isIntel ? (['iopl', 'ioperm', 'modify_ldt'] as const) : []),
];

const DEVICES = [
  'sda',
  'vda',
  'nvme0n1',
  'mem',
  'kmsg',
  'kvm',
  'vsock',
  'vhost-vsock',
  'fuse',
  'loop-control',
  'net/tun',
  'uinput',
];

function cloneArguments(): Buffer {
  const bytes = Buffer.alloc(88);
  bytes.writeBigUInt64LE(BigInt(CLONE_NEWUSER), 0);
  bytes.writeBigUInt64LE(17n, 32);
  return bytes;
}

function capabilityHead(): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(0x20080522, 0);
  return head;
}

function everyCapability(): Buffer {
  return Buffer.alloc(24, 0xff);
}

function fileCapability(): Buffer {
  const bytes = Buffer.alloc(20);
  bytes.writeUInt32LE(0x02000001, 0);
  bytes.writeUInt32LE(1 << 21, 4);
  return bytes;
}
