/** Files outside of what may be written, and every way to reach them. */
import fs from 'node:fs';

import { AT_FDCWD } from '../../../src/sandbox/linux/flags.js';
import { OPEN } from './probe.js';
import type { Probe } from './probe.js';
import { by, forRoot } from './row.js';
import type { Row, Try, Want } from './row.js';

const REFUSED = by('EROFS', 'EACCES');
/** Guarantees say so: behind the fence what is known of a file beside its content is open. */
const METADATA = by('EROFS', 'ok');
const FIFO = 0o10644;
const REMOVE_FOLDER = 0x200;
const EXCHANGE = 2;
const HIGH = 200;

export const FILE_ROWS: readonly Row[] = [
  {
    id: '1',
    title: 'nothing is written outside of the roots',
    tries: ({ outside }) => writesTo(outside),
  },
  {
    id: '2',
    title: 'a link in the workspace leads no write out',
    prepare({ workspace, outside }) {
      fs.symlinkSync(`${outside}/file`, `${workspace}/link`);
      fs.symlinkSync(outside, `${workspace}/folder-link`);
    },
    tries: ({ workspace, outside }) =>
      all(REFUSED, {
        'through a link to a file': (p) => p.open(`${workspace}/link`, OPEN.write),
        'truncating through it': (p) => p.open(`${workspace}/link`, OPEN.truncate),
        'through a link to a folder': (p) => p.open(`${workspace}/folder-link/new`, OPEN.create, 0o644),
        'through a link of its own making'(p) {
          p.call('symlinkat', [p.text(`${outside}/file`), AT_FDCWD, p.text(`${workspace}/own`)]);
          p.open(`${workspace}/own`, OPEN.write);
        },
        'through dots': (p) => p.open(`${workspace}/folder/../../outside/file`, OPEN.write),
        'through the root of its process': (p) => p.open(`/proc/self/root${outside}/file`, OPEN.write),
        'through its folder in /proc': (p) => p.open('/proc/self/cwd/../outside/file', OPEN.write),
      }),
  },
  {
    id: '3',
    title: 'a descriptor that only names a file cannot be opened again for writing',
    tries: ({ outside }) =>
      all(REFUSED, {
        'through /proc/self/fd'(p) {
          highDescriptor(p, `${outside}/file`, OPEN.path);
          p.open(`/proc/self/fd/${HIGH}`, OPEN.write);
        },
        'through /dev/fd'(p) {
          highDescriptor(p, `${outside}/file`, OPEN.read);
          p.open(`/dev/fd/${HIGH}`, OPEN.both);
        },
        'a folder, and a new file in it'(p) {
          highDescriptor(p, outside, OPEN.path);
          p.call('openat', [HIGH, p.text('new'), OPEN.create, 0o644]);
        },
      }),
  },
  {
    id: '4',
    title: 'modes, owners, times and attributes outside are as the guarantees say',
    tries: ({ outside }) => [
      ...all(METADATA, metadataCalls(`${outside}/meta`)),
      ...all('EPERM', {
        'rights for whoever starts it': (p) => p.call('fchmodat', [AT_FDCWD, p.text(`${outside}/meta`), 0o6755]),
        'the same by a descriptor'(p) {
          const file = p.open(`${outside}/meta`, OPEN.read);
          p.call('fchmod', [file, 0o4755]);
        },
      }),
    ],
  },
  {
    id: '5',
    title: 'a file from outside cannot be linked into the workspace',
    tries: ({ workspace, outside }) => [
      ...all(by('EXDEV', 'EXDEV|EACCES'), {
        'by its path': (p) =>
          p.call('linkat', [AT_FDCWD, p.text(`${outside}/file`), AT_FDCWD, p.text(`${workspace}/in`), 0]),
        'by a link in /proc'(p) {
          highDescriptor(p, `${outside}/file`, OPEN.read);
          const from = p.text(`/proc/self/fd/${HIGH}`);
          p.call('linkat', [AT_FDCWD, from, AT_FDCWD, p.text(`${workspace}/in`), 0x400]);
        },
      }),
      ...all('EXDEV|EACCES|ENOENT', {
        'by its descriptor'(p) {
          const file = p.open(`${outside}/file`, OPEN.path);
          p.call('linkat', [file, p.text(''), AT_FDCWD, p.text(`${workspace}/in`), 0x1000]);
        },
      }),
    ],
  },
  {
    id: '6',
    title: 'nothing is moved out of the workspace or into it',
    tries: ({ workspace, outside }) =>
      all(by('EXDEV', 'EXDEV|EACCES'), {
        out: (p) => p.call('renameat', [AT_FDCWD, p.text(`${workspace}/mine`), AT_FDCWD, p.text(`${outside}/moved`)]),
        over: (p) => p.call('renameat', [AT_FDCWD, p.text(`${workspace}/mine`), AT_FDCWD, p.text(`${outside}/file`)]),
        in: (p) => p.call('renameat', [AT_FDCWD, p.text(`${outside}/file`), AT_FDCWD, p.text(`${workspace}/moved`)]),
        exchanged: (p) =>
          p.call('renameat2', [AT_FDCWD, p.text(`${outside}/file`), AT_FDCWD, p.text(`${workspace}/mine`), EXCHANGE]),
      }),
  },
  {
    id: '17',
    title: 'a folder outside does not become writable by working in it',
    tries: ({ outside }) =>
      all(REFUSED, {
        'a relative path'(p) {
          p.call('chdir', [p.text(outside)]);
          p.open('new', OPEN.create, 0o644);
        },
        'one with dots'(p) {
          p.call('chdir', [p.text(`${outside}/folder`)]);
          p.open('../file', OPEN.write);
        },
        'by the descriptor of the folder'(p) {
          const folder = p.open(outside, OPEN.folder);
          p.call('fchdir', [folder]);
          p.open('./file', OPEN.write);
        },
      }),
  },
  {
    id: '18',
    title: 'nothing of the kernel in /proc can be written',
    tries: () => [
      ...all(forRoot(REFUSED, 'EROFS|EACCES'), {
        'the program for crashes': (p) => p.open('/proc/sys/kernel/core_pattern', OPEN.write),
      }),
      ...all(REFUSED, {
        'its own users': (p) => p.open('/proc/self/uid_map', OPEN.write),
        'its own memory': (p) => p.open('/proc/self/mem', OPEN.both),
        'its own name': (p) => p.open('/proc/self/comm', OPEN.write),
        'how likely it is killed': (p) => p.open('/proc/self/oom_score_adj', OPEN.write),
      }),
      // Not every kernel has these.
      ...all('EROFS|EACCES|EPERM|ENOENT', {
        'the program for modules': (p) => p.open('/proc/sys/kernel/modprobe', OPEN.write),
        'keys for the system': (p) => p.open('/proc/sysrq-trigger', OPEN.write),
        'the memory of the first process': (p) => p.open('/proc/1/mem', OPEN.both),
        'the timing of interrupts': (p) => p.open('/proc/irq/default_smp_affinity', OPEN.write),
      }),
    ],
  },
  {
    id: '19',
    title: 'nothing of the kernel in /sys can be written',
    tries: () =>
      all('EROFS|EACCES|ENOENT', {
        'the program of a control group': (p) => p.open('/sys/fs/cgroup/memory/release_agent', OPEN.write),
        'the members of one': (p) => p.open('/sys/fs/cgroup/unified/cgroup.procs', OPEN.write),
        'a new control group': (p) => p.call('mkdirat', [AT_FDCWD, p.text('/sys/fs/cgroup/memory/made'), 0o755]),
        'the program for devices': (p) => p.open('/sys/kernel/uevent_helper', OPEN.write),
        'the sleep of the machine': (p) => p.open('/sys/power/state', OPEN.write),
      }),
  },
];

export function all(want: Want, tries: Readonly<Record<string, Try['calls']>>): readonly Try[] {
  return Object.entries(tries).map(([name, calls]) => ({ name, want, calls }));
}

function highDescriptor(probe: Probe, file: string, flags: number): void {
  const named = probe.open(file, flags);
  probe.call('dup3', [named, HIGH, 0]);
}

function writesTo(outside: string): readonly Try[] {
  const path = (p: Probe, name: string): ReturnType<Probe['text']> => p.text(`${outside}/${name}`);
  return all(REFUSED, {
    'making a file': (p) => p.open(`${outside}/new`, OPEN.create, 0o644),
    'writing to one': (p) => p.open(`${outside}/file`, OPEN.write),
    'opening one for both': (p) => p.open(`${outside}/file`, OPEN.both),
    'truncating one': (p) => p.call('truncate', [path(p, 'file'), 0]),
    'truncating while opening to read': (p) => p.open(`${outside}/file`, 0o1000),
    'removing one': (p) => p.call('unlinkat', [AT_FDCWD, path(p, 'file'), 0]),
    'a file without a name': (p) => p.open(outside, OPEN.unnamed, 0o644),
    'a named pipe': (p) => p.call('mknodat', [AT_FDCWD, path(p, 'pipe'), FIFO, 0]),
    'a folder': (p) => p.call('mkdirat', [AT_FDCWD, path(p, 'made'), 0o755]),
    'removing a folder': (p) => p.call('unlinkat', [AT_FDCWD, path(p, 'folder'), REMOVE_FOLDER]),
    'a link': (p) => p.call('symlinkat', [p.text('/'), AT_FDCWD, path(p, 'link')]),
    'a hard link': (p) => p.call('linkat', [AT_FDCWD, path(p, 'file'), AT_FDCWD, path(p, 'hard'), 0]),
    renaming: (p) => p.call('renameat', [AT_FDCWD, path(p, 'file'), AT_FDCWD, path(p, 'renamed')]),
    exchanging: (p) => p.call('renameat2', [AT_FDCWD, path(p, 'file'), AT_FDCWD, path(p, 'other'), EXCHANGE]),
  });
}

function metadataCalls(file: string): Readonly<Record<string, Try['calls']>> {
  const user = process.getuid?.() ?? 0;
  return {
    'its mode': (p) => p.call('fchmodat', [AT_FDCWD, p.text(file), 0o600]),
    'its mode by a descriptor'(p) {
      const opened = p.open(file, OPEN.read);
      p.call('fchmod', [opened, 0o640]);
    },
    'its owner': (p) => p.call('fchownat', [AT_FDCWD, p.text(file), user, user, 0]),
    'its time': (p) => p.call('utimensat', [AT_FDCWD, p.text(file), 0, 0]),
    'an attribute': (p) => p.call('setxattr', [p.text(file), p.text('user.tenon'), p.text('x'), 1, 0]),
    'an attribute by a descriptor'(p) {
      const opened = p.open(file, OPEN.read);
      p.call('fsetxattr', [opened, p.text('user.tenon2'), p.text('x'), 1, 0]);
    },
  };
}
