import { expect, test } from 'vitest';

import { guestArguments } from '../../../src/sandbox/vm/guest-arguments.js';
import type { MachineOptions } from '../../../src/sandbox/vm/guest-arguments.js';
import { vmGuarantees } from '../../../src/sandbox/vm/guarantees.js';
import { virtiofsdArguments } from '../../../src/sandbox/vm/virtiofsd-arguments.js';
import { resolvedPolicy } from './policies.js';

const OPTIONS: MachineOptions = {
  architecture: 'x64',
  accelerator: 'tcg',
  kernel: '/m/kernel',
  initramfs: '/m/initramfs',
  filesSocket: '/m/files.sock',
  agentSocket: '/m/agent.sock',
  cpus: 2,
  memoryBytes: 1024 ** 3,
};

const MIB = 1024 ** 2;

test('a machine has a console, files, a port and nothing else', () => {
  expect(guestArguments(resolvedPolicy(), OPTIONS)).toEqual(
    [
      ['-nodefaults', '-no-user-config', '-display', 'none', '-monitor', 'none', '-no-reboot'],
      ['-sandbox', 'on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny'],
      ['-machine', 'q35', '-accel', 'tcg,thread=multi', '-cpu', 'max', '-smp', '2'],
      ['-kernel', '/m/kernel', '-initrd', '/m/initramfs'],
      ['-append', 'console=ttyS0 quiet loglevel=3 panic=-1 random.trust_cpu=on'],
      ['-chardev', 'stdio,id=console,signal=off', '-serial', 'chardev:console'],
      ['-m', '1024M'],
      ['-object', 'memory-backend-memfd,id=memory,size=1024M,share=on', '-numa', 'node,memdev=memory'],
      ['-chardev', 'socket,id=files,path=/m/files.sock', '-device', 'vhost-user-fs-pci,chardev=files,tag=root'],
      ['-chardev', 'socket,id=agent,path=/m/agent.sock', '-device', 'virtio-serial-pci'],
      ['-device', 'virtserialport,chardev=agent,name=tenon.0'],
      ['-nic', 'none'],
    ].flat(),
  );
});

test('an open network is a card; a list of hosts is none', () => {
  const nic = (network: Parameters<typeof vmGuarantees>[0]['network']): string | undefined =>
    guestArguments(resolvedPolicy({ network }), OPTIONS).at(-1);
  expect(nic({ kind: 'open' })).toBe('user,model=virtio-net-pci');
  expect(nic({ kind: 'hosts', allowed: ['example.com'] })).toBe('none');
});

test('what commands may take comes on top of what the guest has', () => {
  const args = guestArguments(resolvedPolicy({ limits: { memoryBytes: 100 * MIB + 1 } }), OPTIONS);
  expect(args).toContain('1125M');
  expect(args).toContain('memory-backend-memfd,id=memory,size=1125M,share=on');
});

test('a comma in a path does not end the value', () => {
  const args = guestArguments(resolvedPolicy(), { ...OPTIONS, agentSocket: '/m,server=on/a' });
  expect(args).toContain('socket,id=agent,path=/m,,server=on/a');
});

test('acceleration and another architecture change the machine', () => {
  const args = guestArguments(resolvedPolicy(), { ...OPTIONS, architecture: 'arm64', accelerator: 'kvm' });
  expect(args).toEqual(expect.arrayContaining(['virt', 'kvm', 'host']));
  expect(args[args.indexOf('-append') + 1]).toContain('console=ttyAMA0');
});

test('both programs that serve files lock themselves into the folder', () => {
  const share = { folder: '/m/stage', descriptor: 3 };
  expect(virtiofsdArguments({ ...share, kind: 'classic' })).toEqual(
    [
      ['--fd=3', '-f', '-o', 'source=/m/stage', '-o', 'sandbox=namespace', '-o', 'announce_submounts'],
      ['-o', 'cache=auto', '-o', 'log_level=err'],
    ].flat(),
  );
  expect(virtiofsdArguments({ ...share, kind: 'modern' })).toEqual(
    [
      ['--fd=3', '--shared-dir=/m/stage', '--sandbox=namespace', '--announce-submounts'],
      ['--cache=auto', '--log-level=error'],
    ].flat(),
  );
});

test('what it holds to depends on the network only', () => {
  const closed = vmGuarantees(resolvedPolicy());
  expect(closed).toEqual({
    writes: 'enforced',
    metadata: 'enforced',
    protectedPaths: 'enforced',
    hiddenPaths: 'enforced',
    network: 'loopback',
    unixSockets: 'private',
    processes: 'isolated',
    killing: 'whole',
    limits: ['memoryBytes', 'processes', 'cpuSeconds', 'fileBytes'],
  });
  expect(vmGuarantees(resolvedPolicy({ network: { kind: 'open' } }))).toEqual({ ...closed, network: 'open' });
  const listed = resolvedPolicy({ network: { kind: 'hosts', allowed: ['example.com'] } });
  expect(vmGuarantees(listed)).toEqual(closed);
});
