import { expect, test } from 'vitest';

import { moduleFiles } from '../../../src/sandbox/vm/kernel-modules.js';

const DEPENDENCIES = `kernel/virtio_pci.ko: kernel/virtio_ring.ko kernel/virtio-dev.ko kernel/virtio.ko
kernel/virtio_ring.ko: kernel/virtio.ko
kernel/virtio.ko:
kernel/virtio-dev.ko:
kernel/virtiofs.ko.xz: kernel/fuse.ko kernel/virtio.ko
kernel/fuse.ko:
`;

test('each module comes after what it needs, and once', () => {
  const files = moduleFiles(['virtio_pci', 'virtiofs'], { dependencies: DEPENDENCIES, builtin: '' });
  expect(files).toEqual([
    'kernel/virtio.ko',
    'kernel/virtio_ring.ko',
    'kernel/virtio-dev.ko',
    'kernel/virtio_pci.ko',
    'kernel/fuse.ko',
    'kernel/virtiofs.ko.xz',
  ]);
});

test('a dash in a file stands for an underscore in a name', () => {
  expect(moduleFiles(['virtio_dev'], { dependencies: DEPENDENCIES, builtin: '' })).toEqual(['kernel/virtio-dev.ko']);
});

test('what the kernel holds already is not loaded', () => {
  const builtin = 'kernel/drivers/virtio-console.ko\n';
  expect(moduleFiles(['virtio_console', 'fuse'], { dependencies: DEPENDENCIES, builtin })).toEqual(['kernel/fuse.ko']);
});

test('modules that need each other do not go round in circles', () => {
  const dependencies = 'a.ko: b.ko\nb.ko: a.ko\n';
  expect(moduleFiles(['a'], { dependencies, builtin: '' })).toEqual(['b.ko', 'a.ko']);
});

test('a module that the kernel does not have is said by name', () => {
  expect(() => moduleFiles(['virtiofs'], { dependencies: '', builtin: '' })).toThrow(
    'the kernel for the virtual machine has no virtiofs',
  );
});
