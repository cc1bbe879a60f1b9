import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

import { agentArguments, agentScript } from '../../../src/sandbox/vm/agent-script.js';
import { machineLaunch, viewLaunch } from '../../../src/sandbox/vm/host-scripts.js';
import { initScript } from '../../../src/sandbox/vm/init-script.js';
import { resolvedPolicy } from './policies.js';

const OPTIONS = { modules: ['0-virtio.ko', '1-virtiofs.ko'], perl: '/usr/bin/perl', agentArguments: ['0', '', "it's"] };
const hasPerl = spawnSync('perl', ['-e', '1']).status === 0;

test('the guest starts with its own folders, the modules, the host’s files, its devices, and the agent', () => {
  expect(initScript(resolvedPolicy(), OPTIONS)).toBe(`#!/bin/busybox sh
set -e
b=/bin/busybox
trap '$b reboot -f' EXIT
$b mount -t proc proc /proc
$b mount -t sysfs sysfs /sys
$b mount -t devtmpfs devtmpfs /dev
$b insmod '/modules/0-virtio.ko'
$b insmod '/modules/1-virtiofs.ko'
$b mount -t virtiofs -o nosuid,nodev root /machine
$b mount -t proc -o nosuid,nodev,noexec proc /machine/proc
$b mount -t sysfs -o ro,nosuid,nodev,noexec sysfs /machine/sys
$b mount -t tmpfs -o nosuid,nodev,mode=0755 run /machine/run
$b mount -t cgroup2 -o nosuid,nodev,noexec cgroup2 /machine/sys/fs/cgroup
$b mount -t tmpfs -o nosuid,noexec,mode=0755,size=64k dev /machine/dev
$b mknod -m 666 /machine/dev/null c 1 3
$b mknod -m 666 /machine/dev/zero c 1 5
$b mknod -m 666 /machine/dev/full c 1 7
$b mknod -m 666 /machine/dev/random c 1 8
$b mknod -m 666 /machine/dev/urandom c 1 9
$b mknod -m 666 /machine/dev/tty c 5 0
$b ln -s /proc/self/fd /machine/dev/fd
$b ln -s /proc/self/fd/0 /machine/dev/stdin
$b ln -s /proc/self/fd/1 /machine/dev/stdout
$b ln -s /proc/self/fd/2 /machine/dev/stderr
$b ln -s pts/ptmx /machine/dev/ptmx
$b mkdir /machine/dev/pts /machine/dev/shm
$b mount -t devpts -o nosuid,noexec,newinstance,ptmxmode=0666,mode=620 devpts /machine/dev/pts
$b mount -t tmpfs -o nosuid,nodev,mode=1777 shm /machine/dev/shm
$b ip link set lo up
port=
for each in /sys/class/virtio-ports/*; do
  if [ "$($b cat "$each/name")" = tenon.0 ]; then port=\${each##*/}; fi
done
exec 3<>"/dev/$port"
exec $b switch_root /machine '/usr/bin/perl' -e "$($b cat /agent.pl)" -- '0' '' 'it'\\''s'
`);
});

test('only an open network is set up', () => {
  const open = initScript(resolvedPolicy({ network: { kind: 'open' } }), OPTIONS);
  expect(open).toContain('$b ip route add default via 10.0.2.2\n');
  expect(initScript(resolvedPolicy({ network: { kind: 'hosts', allowed: ['a'] } }), OPTIONS)).not.toContain('10.0.2');
  expect(spawnSync('sh', ['-n'], { input: open, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
});

test('the agent learns who the caller is, and of limits only those that hold', () => {
  const caller = { uid: 1000, gid: 100, groups: [100, 27] };
  expect(agentArguments(caller, {})).toEqual(['1000', '100', '100 27', '', '', '', '']);
  expect(agentArguments(caller, { memoryBytes: 1, processes: 2, cpuSeconds: 3, fileBytes: 0 }).slice(3)).toEqual([
    '1',
    '2',
    '3',
    '0',
  ]);
});

test.skipIf(!hasPerl).each(['x64', 'arm64'] as const)('Perl understands every script for %s', (architecture) => {
  const [, view = ''] = viewLaunch({ architecture, socket: '/s', steps: [], argv: [] });
  const [, machine = ''] = machineLaunch({ architecture, argv: [] });
  for (const script of [view, machine, agentScript(architecture)]) {
    const checked = spawnSync('perl', ['-w', '-c', '-e', script], { encoding: 'utf8' });
    expect(checked).toMatchObject({ status: 0, stderr: '-e syntax OK\n' });
  }
});

test.skipIf(!hasPerl)('the agent refuses to be anything but the first process of a guest', () => {
  const ran = spawnSync('perl', ['-e', agentScript(process.arch === 'arm64' ? 'arm64' : 'x64'), '--'], {
    encoding: 'utf8',
  });
  expect(ran).toMatchObject({ status: 127, stderr: 'agent: it is not the first process of a guest\n' });
});
