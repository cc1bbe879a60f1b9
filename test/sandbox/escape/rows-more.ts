/** What the table does not name. */
import fs from 'node:fs';
import path from 'node:path';

import { AT_FDCWD } from '../../../src/sandbox/linux/flags.js';
import { pictureOf } from './grounds.js';
import { OPEN } from './probe.js';
import type { Probe } from './probe.js';
import { by, finding, forRoot, wanted } from './row.js';
import type { Row } from './row.js';
import { all } from './rows-files.js';
import { exchange, rename } from './rows-git.js';
import { address, connectTo } from './rows-network.js';
import { promised, tryInside } from './try-inside.js';

const REFUSED = by('EROFS', 'EACCES');
export const PROCESSES = by('isolated', 'unsignalled');
const NEW_LISTENER = 8;
const PRIORITY_CALL = process.arch === 'arm64' ? 140 : 141;
const AFFINITY_CALL = process.arch === 'arm64' ? 122 : 203;
const SCHEDULER_CALL = process.arch === 'arm64' ? 119 : 144;
const IO_PRIORITY_CALL = process.arch === 'arm64' ? 30 : 251;

export const MORE_ROWS: readonly Row[] = [
  {
    id: 'A1',
    title: 'the launcher cannot be written over',
    tries: () =>
      all('EACCES|EPERM|EROFS|ETXTBSY|ENOENT', {
        'as the program of the first process': (p) => p.open('/proc/1/exe', OPEN.write),
        'as its file': (p) => p.open('/proc/1/exe', OPEN.both),
        'its list of calls': (p) => p.open('/proc/1/fd/3', OPEN.both),
        'the program itself': (p) => p.open('/proc/self/exe', OPEN.write),
      }),
  },
  {
    id: 'A2',
    title: 'output can be opened again, and nothing else through it',
    tries: () => [
      ...all('ok', { 'its output': (p) => p.open('/dev/stdout', OPEN.write) }),
      ...all('ENOTDIR', { 'something beside it': (p) => p.open('/dev/stdout/../x', OPEN.create, 0o644) }),
    ],
  },
  {
    id: 'A3',
    title: 'shared memory of others is not written to',
    async story(grounds, stand) {
      const file = path.join('/dev/shm', grounds.token);
      fs.writeFileSync(file, 'as it was\n');
      const before = pictureOf(file);
      try {
        // Behind the fence the folder is the machine's; the guarantees say that shared memory can be changed.
        const tries = all(by('ENOENT', 'ok'), {
          'writing to it': (p) => writeOver(p, file),
          'removing it': (p) => p.call('unlinkat', [AT_FDCWD, p.text(file), 0]),
        });
        const found = await tryInside(grounds, stand, tries);
        const isKept = pictureOf(file) === before;
        return [
          ...found,
          finding('it is as before', isKept, stand.backend !== 'landlock'),
          finding('what is promised', (await promised(grounds, stand))?.processes, wanted(PROCESSES, stand)),
        ];
      } finally {
        fs.rmSync(file, { force: true });
      }
    },
  },
  {
    id: 'A4',
    title: 'the newer way to open files opens no more',
    tries: ({ outside }) =>
      // Its modes lie in memory, where a filter cannot see them.
      all('ENOSYS', {
        'for writing': (p) => openNewer(p, `${outside}/file`, { flags: OPEN.write }),
        'below a root': (p) => openNewer(p, `${outside}/file`, { flags: OPEN.write, resolve: 0x10 }),
        'with a mode in memory': (p) => openNewer(p, `${outside}/new`, { flags: OPEN.create, mode: 0o755 }),
      }),
  },
  {
    id: 'A6',
    title: 'whoever waits for the command is not signalled',
    tries: () => [
      ...all('EPERM', {
        'by a descriptor'(p) {
          const first = p.call('pidfd_open', [1, 0]);
          p.call('pidfd_send_signal', [first, 0, 0, 0]);
        },
        'to stop': (p) => p.call('kill', [1, 19]),
      }),
      ...all(by('ESRCH', 'EPERM|ESRCH'), { 'by its group': (p) => p.call('kill', [-ownGroup(), 0]) }),
    ],
  },
  {
    id: 'A7',
    title: 'limits and priorities of others are not changed',
    tries: ({ victim }) =>
      all(by('ESRCH', 'EPERM'), {
        'how long it may run': (p) => p.call('prlimit64', [victim, 4, p.bytes(new Uint8Array(16)), 0]),
        'its priority': (p) => p.number(PRIORITY_CALL, [0, victim, 5]),
        'its processors': (p) => p.number(AFFINITY_CALL, [victim, 8, p.bytes(new Uint8Array(8).fill(0xff))]),
        'how it is scheduled': (p) => p.number(SCHEDULER_CALL, [victim, 3, p.bytes(new Uint8Array(4))]),
        'its turn at the disk': (p) => p.number(IO_PRIORITY_CALL, [1, victim, (3 << 13) | 0]),
      }),
  },
  {
    id: 'A8',
    title: 'nobody else listens to system calls',
    tries: () =>
      all(by('EBUSY|EPERM', 'EPERM'), {
        'a filter with a listener': (p) => p.call('seccomp', [1, NEW_LISTENER, allowAll(p)]),
      }).concat(all('ok', { 'a filter without one': (p) => p.call('seccomp', [1, 0, allowAll(p)]) })),
  },
  {
    id: 'A9',
    title: 'a launcher loads nothing that the workspace offers',
    async story({ workspace, home, run }) {
      const env = { inherit: 'all', ignoreDefaultExcludes: false, exclude: [], includeOnly: [] } as const;
      const set = { HOME: home, LD_PRELOAD: `${workspace}/evil.so`, LD_LIBRARY_PATH: workspace, PATH: workspace };
      fs.writeFileSync(`${workspace}/bwrap`, '#!/bin/sh\necho evil\n', { mode: 0o755 });
      fs.writeFileSync(`${workspace}/evil.so`, 'not a library');
      fs.writeFileSync(`${workspace}/done.list`, '');
      const { stdout, stderr, exit } = await run(
        [`${workspace}/probe`, `${workspace}/done.list`],
        {},
        {
          environmentPolicy: { ...env, set },
        },
      );
      return [
        finding('what was printed', `${stdout.toString()}${stderr}`, ''),
        // An empty list is none, so the program was reached.
        finding('how it ended', JSON.stringify(exit), '{"kind":"exited","code":125}'),
      ];
    },
  },
  {
    id: 'A11',
    title: 'settings of the user outside are not written',
    tries: ({ home }) =>
      all(REFUSED, {
        'of git': (p) => p.open(`${home}/.gitconfig`, OPEN.create, 0o644),
        'of the shell': (p) => p.open(`${home}/.bashrc`, OPEN.create, 0o644),
        'of the folder': (p) => p.call('mkdirat', [AT_FDCWD, p.text(`${home}/.config`), 0o755]),
      }),
  },
  {
    id: 'A14',
    title: 'no file with rights for whoever starts it is left behind',
    tries: ({ workspace }) =>
      all('EPERM', {
        'for the user': (p) => p.call('fchmodat', [AT_FDCWD, p.text(`${workspace}/mine`), 0o4755]),
        'for the group': (p) => p.call('fchmodat', [AT_FDCWD, p.text(`${workspace}/mine`), 0o2755]),
        'from the beginning': (p) => p.open(`${workspace}/made`, OPEN.create, 0o4755),
      }),
    after: ({ workspace }) => [finding('its mode', (fs.statSync(`${workspace}/mine`).mode & 0o6000).toString(8), '0')],
  },
  {
    id: 'A15',
    title: 'the workspace itself stays where it is',
    tries: ({ workspace }) =>
      all(by('EBUSY|EXDEV|EROFS', 'EACCES|EXDEV'), {
        moved: (p) => rename(p, workspace, `${workspace}-moved`),
        exchanged: (p) => exchange(p, workspace, path.join(path.dirname(workspace), 'outside')),
        removed: (p) => p.call('unlinkat', [AT_FDCWD, p.text(workspace), 0x200]),
      }),
  },
  {
    id: 'A16',
    title: 'nothing of the kernel is read that shows memory or messages',
    tries: () =>
      all('EPERM|EACCES|ENOENT', {
        memory: (p) => p.open('/proc/kcore', OPEN.read),
        messages: (p) => p.open('/proc/kmsg', OPEN.read),
        'what is debugged': (p) => p.open('/sys/kernel/debug/tracing', OPEN.folder),
      }),
  },
  {
    id: 'A27',
    title: 'more layers of Landlock only take away',
    tries: ({ outside, workspace }) => [
      ...all('ok', {
        'a layer of its own'(p) {
          const rules = p.call('landlock_create_ruleset', [p.bytes(words([2n])), 8, 0]);
          p.call('landlock_restrict_self', [rules, 0]);
        },
      }),
      ...all(by('EROFS', 'EACCES'), { 'outside afterwards': (p) => p.open(`${outside}/file`, OPEN.write) }),
      ...all('EACCES', { 'in the workspace afterwards': (p) => p.open(`${workspace}/mine`, OPEN.write) }),
    ],
  },
  {
    id: 'A28',
    title: 'ports of the system are not taken',
    tries: () => [
      ...all(by('ECONNREFUSED', 'EPERM'), {
        'a port nobody listens on': (p) => connectTo(p, 1, [127, 0, 0, 1], 9),
      }),
      ...all(by('EACCES', 'EPERM'), { 'a port below those for users': (p) => listenOn(p, 80) }),
    ],
  },
  {
    id: 'A30',
    title: 'a program in memory is as confined as any',
    tries: ({ outside }) => [
      ...all('ok', {
        'making one': (p) => p.call('memfd_create', [p.text('x'), 0]),
      }),
      ...all(forRoot('EPERM|ENOSYS', 'EPERM|ENOSYS'), {
        'handles by their number': (p) => p.call('open_by_handle_at', [AT_FDCWD, p.bytes(new Uint8Array(16)), 0]),
      }),
      ...all(REFUSED, { 'outside afterwards': (p) => p.open(`${outside}/file`, OPEN.write) }),
    ],
  },
];

function writeOver(p: Probe, file: string): void {
  const opened = p.open(file, OPEN.write);
  p.call('write', [opened, p.text('changed'), 7]);
}

type Newer = { readonly flags: number; readonly resolve?: number; readonly mode?: number };

function openNewer(p: Probe, file: string, { flags, resolve = 0, mode = 0 }: Newer): void {
  const how = p.bytes(words([BigInt(flags), BigInt(mode), BigInt(resolve)]));
  const [folder, name] = resolve === 0 ? [AT_FDCWD, file] : [p.open('/', OPEN.path), file.slice(1)];
  p.call('openat2', [folder, p.text(name), how, 24]);
}

function listenOn(p: Probe, port: number): void {
  const server = p.call('socket', [2, 1, 0]);
  p.call('bind', [server, p.bytes(address([127, 0, 0, 1], port)), 16]);
}

function allowAll(p: Probe): ReturnType<Probe['bytes']> {
  const instruction = Buffer.from([6, 0, 0, 0, 0, 0, 0xff, 0x7f]);
  const head = Buffer.alloc(16);
  head.writeUInt16LE(1, 0);
  return p.structure(head, [{ at: 8, to: p.bytes(instruction) }]);
}

function words(values: readonly bigint[]): Buffer {
  const bytes = Buffer.alloc(values.length * 8);
  for (const [index, value] of values.entries()) bytes.writeBigUInt64LE(value, index * 8);
  return bytes;
}

/** The group that the harness is in. */
function ownGroup(): number {
  const after = fs.readFileSync('/proc/self/stat', 'utf8').split(') ')[1] ?? '';
  return Number(after.split(' ')[2]);
}
