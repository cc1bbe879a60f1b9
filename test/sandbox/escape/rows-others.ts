/** Processes that are none of the command's business. */
import fs from 'node:fs';
import os from 'node:os';

import type { Grounds } from './grounds.js';
import { OPEN } from './probe.js';
import { by, finding } from './row.js';
import type { Row, Try } from './row.js';
import { all } from './rows-files.js';
import { tryInside } from './try-inside.js';
import { until } from './until.js';

const NOWHERE = -1;

export const OTHERS_ROWS: readonly Row[] = [
  {
    id: '24',
    title: 'other processes are not looked into',
    tries: ({ victim }) => [
      ...all('EPERM', {
        ptrace: (p) => p.call('ptrace', [0x4206, victim, 0, 0]),
        'reading memory': (p) => p.call('process_vm_readv', [victim, 0, 0, 0, 0, 0]),
        'writing memory': (p) => p.call('process_vm_writev', [victim, 0, 0, 0, 0, 0]),
        'writing the memory of the first one': (p) => p.call('process_vm_writev', [1, 0, 0, 0, 0, 0]),
        'taking a descriptor': (p) => p.call('pidfd_getfd', [NOWHERE, 0, 0]),
        kcmp: (p) => p.call('kcmp', [victim, victim, 0, 0, 0]),
      }),
      ...all(by('ESRCH', 'EPERM'), {
        'a signal by a descriptor'(p) {
          const process = p.call('pidfd_open', [victim, 0]);
          p.call('pidfd_send_signal', [process, 18, 0, 0]);
        },
      }),
      ...all('EPERM|ESRCH|EBADF|EINVAL', {
        'dropping its memory'(p) {
          const process = p.aside('pidfd_open', [victim, 0]);
          p.call('process_mrelease', [process, 0]);
        },
      }),
    ],
  },
  {
    id: '25',
    title: 'other processes are not signalled',
    async story(grounds, stand) {
      const { result, heard } = await hearing(() => tryInside(grounds, stand, signals(grounds)));
      return [
        ...result,
        finding('the process outside lives', isAlive(grounds.victim), true),
        finding('what was heard of the one to everybody', heard, 'nothing'),
      ];
    },
  },
  {
    id: '26',
    title: 'nothing of other processes is read',
    tries: ({ victim }) => [
      ...all(by('ENOENT', 'EACCES|EPERM'), {
        variables: (p) => p.open(`/proc/${victim}/environ`, OPEN.read),
        memory: (p) => p.open(`/proc/${victim}/mem`, OPEN.read),
        maps: (p) => p.open(`/proc/${victim}/maps`, OPEN.read),
        'its folder': (p) => p.open(`/proc/${victim}/cwd`, OPEN.path),
        'its root': (p) => p.open(`/proc/${victim}/root/etc/passwd`, OPEN.read),
        'its descriptors': (p) => p.open(`/proc/${victim}/fd/0`, OPEN.read),
      }),
      ...all('EACCES|EPERM', {
        'the root of the first process': (p) => p.open('/proc/1/root/etc/passwd', OPEN.read),
        'the variables of the first process': (p) => p.open('/proc/1/environ', OPEN.read),
        'the streams of the first process': (p) => p.open('/proc/1/fd/1', OPEN.path),
        'the memory of the first process': (p) => p.open('/proc/1/mem', OPEN.read),
      }),
      ...all('EACCES|EPERM|ENOENT', {
        'the descriptors of the first process': (p) => p.open('/proc/1/fd/3', OPEN.read),
      }),
    ],
  },
];

function signals({ victim }: Grounds): readonly Try[] {
  return [
    ...all(by('ESRCH', 'EPERM'), {
      'a process outside': (p) => p.call('kill', [victim, 15]),
      'the same as a thread': (p) => p.call('tkill', [victim, 15]),
      'the same with a thread': (p) => p.call('tgkill', [victim, victim, 15]),
      'a queued signal': (p) => p.call('rt_sigqueueinfo', [victim, 15, p.bytes(queuedSignal())]),
    }),
    ...all('EPERM', { 'the first process': (p) => p.call('kill', [1, 0]) }),
    // The kernel does not tell whether anybody was reached; the harness does. Whoever does not wait for this one ignores it.
    ...all(by('ESRCH|ok', 'ok'), { everybody: (p) => p.call('kill', [-1, os.constants.signals.SIGURG]) }),
  ];
}

/** Which signals arrive here meanwhile; one of our own shows that they would be heard. */
async function hearing<T>(act: () => Promise<T>): Promise<{ readonly result: T; readonly heard: string }> {
  let times = 0;
  const count = (): void => void (times += 1);
  process.on('SIGURG', count);
  try {
    const result = await act();
    const before = times;
    process.kill(process.pid, 'SIGURG');
    const isHeard = await until(() => times > before);
    return { result, heard: isHeard ? (before === 0 ? 'nothing' : 'a signal') : 'not even our own' };
  } finally {
    process.off('SIGURG', count);
  }
}

function queuedSignal(): Buffer {
  const bytes = Buffer.alloc(128);
  bytes.writeInt32LE(15, 0);
  bytes.writeInt32LE(-1, 8);
  return bytes;
}

function isAlive(process_: number): boolean {
  try {
    return /^State:\s+[^ZX]/m.test(fs.readFileSync(`/proc/${process_}/status`, 'utf8'));
  } catch {
    return false;
  }
}
