/** A cell with a root folder of its own: what lies outside is not even there. */
import fs from 'node:fs';

import { AT_FDCWD, CLONE_NEWUSER } from '../../../src/sandbox/linux/flags.js';
import { OPEN } from './probe.js';
import { finding } from './row.js';
import type { Row } from './row.js';
import { all } from './rows-files.js';
import { asBefore, keepPicture, rename, writeTo } from './rows-git.js';
import { connectTo, connectToPath } from './rows-network.js';

export const CHROOT_ROWS: readonly Row[] = [
  {
    id: 'C1',
    title: 'nothing of the machine is there',
    tries: ({ outside, home }) => [
      ...all('ENOENT', {
        'a file outside': (p) => p.open(`${outside}/file`, OPEN.read),
        'a new file outside': (p) => p.open(`${outside}/new`, OPEN.create, 0o644),
        'a secret': (p) => p.open(`${home}/.ssh/id`, OPEN.read),
        users: (p) => p.open('/etc/passwd', OPEN.read),
        'users through dots': (p) => p.open(`${'../'.repeat(30)}etc/passwd`, OPEN.read),
        'users through the root of its process': (p) => p.open('/proc/self/root/etc/passwd', OPEN.read),
        'the kernel in /sys': (p) => p.open('/sys/kernel', OPEN.folder),
      }),
      ...all('ENOENT|EACCES|EPERM', {
        'the root of the first process': (p) => p.open('/proc/1/root/etc/passwd', OPEN.read),
        'its folder': (p) => p.open('/proc/1/cwd/etc/passwd', OPEN.read),
      }),
    ],
  },
  {
    id: 'C2',
    title: 'the root folder is not written to',
    tries: () => [
      ...all('EROFS', {
        'a new file': (p) => p.open('/new', OPEN.create, 0o644),
        'a new folder': (p) => p.call('mkdirat', [AT_FDCWD, p.text('/made'), 0o755]),
        'a program': (p) => p.open('/bin/other', OPEN.create, 0o755),
        'removing one': (p) => p.call('unlinkat', [AT_FDCWD, p.text('/bin/busybox'), 0]),
        'users of its own': (p) => p.call('symlinkat', [p.text('/'), AT_FDCWD, p.text('/etc')]),
      }),
      ...all('EROFS|ETXTBSY', { 'the shell': (p) => p.open('/bin/busybox', OPEN.write) }),
    ],
    after: ({ root }) => [finding('what is in it', fs.readdirSync(`${root}/bin`).join(), 'busybox,sh')],
  },
  {
    id: 'C3',
    title: 'nobody walks out',
    tries: ({ workspace }) => [
      ...all('EPERM', {
        'another root'(p) {
          p.open('/', OPEN.path);
          p.call('chroot', [p.text(`${workspace}/folder`)]);
        },
        'changing it for all': (p) => p.call('pivot_root', [p.text(workspace), p.text(workspace)]),
        'a mount': (p) => p.call('mount', [p.text('/'), p.text(`${workspace}/folder`), 0, 4096, 0]),
        'unmounting the workspace': (p) => p.call('umount2', [p.text(workspace), 2]),
        'a namespace': (p) => p.call('unshare', [CLONE_NEWUSER]),
      }),
      ...all('ENOENT', {
        'above the root'(p) {
          const top = p.open('/', OPEN.folder);
          p.call('fchdir', [top]);
          for (let time = 0; time < 5; time++) p.call('chdir', [p.text('..')]);
          p.open('etc/passwd', OPEN.read);
        },
      }),
    ],
  },
  {
    id: 'C4',
    title: 'the workspace is there, and protected as everywhere',
    prepare: keepPicture('.git'),
    tries: ({ workspace }) => [
      ...all('ok', { 'a file of its own': (p) => writeTo(p, `${workspace}/mine`) }),
      ...all('EROFS', {
        config: (p) => writeTo(p, `${workspace}/.git/config`),
        'in a nested repository': (p) => writeTo(p, `${workspace}/sub/inner/.git/config`),
      }),
      ...all('EBUSY', { 'moving it': (p) => rename(p, `${workspace}/.git`, `${workspace}/moved`) }),
    ],
    after: asBefore('.git'),
  },
  {
    id: 'C5',
    title: 'neither other processes nor hosts nor services nor devices are reached',
    tries: ({ victim, port, socket }) => [
      ...all('ESRCH', { 'a signal': (p) => p.call('kill', [victim, 15]) }),
      ...all('ENETUNREACH', { 'a host': (p) => connectTo(p, 1, [192, 0, 2, 1], 443) }),
      ...all('ECONNREFUSED', { 'a server of the machine': (p) => connectTo(p, 1, [127, 0, 0, 1], port) }),
      ...all('EPERM', { 'a service': (p) => connectToPath(p, socket) }),
      ...all('ENOENT', {
        memory: (p) => p.open('/dev/mem', OPEN.read),
        messages: (p) => p.open('/dev/kmsg', OPEN.read),
        'a process outside': (p) => p.open(`/proc/${victim}/environ`, OPEN.read),
      }),
    ],
  },
  {
    id: 'C6',
    title: 'a shell lives in there with nothing but what it was given',
    async story({ workspace, run }) {
      const { stdout, stderr } = await run(['/bin/sh', '-c', 'cd /; echo *; cd -; echo x >made']);
      const top = workspace.split('/')[1];
      return [
        finding('what it sees', stdout.toString() + stderr, `bin dev proc ${top}\n${workspace}\n`),
        finding('what it made', fs.existsSync(`${workspace}/made`), true),
      ];
    },
  },
];
