import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

import { hasInterpreter } from '../../../src/sandbox/vm/elf.js';
import { findParts } from '../../../src/sandbox/vm/parts.js';
import { probeVm } from '../../../src/sandbox/vm/probe.js';
import { hostArchitecture } from '../../../src/sandbox/vm/system-calls.js';
import { tempFolder } from '../../support/temp-folder.js';

const isLinux = process.platform === 'linux' && hostArchitecture() !== undefined;
const EMULATOR = process.arch === 'arm64' ? 'qemu-system-aarch64' : 'qemu-system-x86_64';

const NOWHERE = {
  qemu: '/nowhere/qemu',
  virtiofsd: '/nowhere/virtiofsd',
  busybox: '/nowhere/busybox',
  perl: '/nowhere/perl',
  kernel: '/nowhere/kernel',
};

test.skipIf(!isLinux)('everything that is missing is named at once', async () => {
  const reason = `a virtual machine needs ${EMULATOR}, virtiofsd, a static busybox, perl, a readable kernel`;
  expect(await findParts(NOWHERE)).toEqual({ kind: 'missing', reason });
  expect(await probeVm(NOWHERE)).toEqual({ kind: 'missing', reason });
});

test.skipIf(!isLinux)('what was named is taken, and the modules are those of the kernel', async () => {
  const { files, folder } = partsIn(tempFolder());
  expect(await findParts(files)).toEqual({
    kind: 'found',
    parts: {
      ...files,
      architecture: hostArchitecture(),
      virtiofsd: { file: files.virtiofsd, kind: 'modern' },
      modules: path.resolve(folder, '../lib/modules/6.1-test'),
    },
  });
  expect(await findParts({ ...files, modules: '/m' })).toMatchObject({ parts: { modules: '/m' } });
});

test.skipIf(!isLinux)('a busybox that needs libraries is none', async () => {
  const { files } = partsIn(tempFolder());
  const missing = { kind: 'missing', reason: 'a virtual machine needs a static busybox' };
  expect(await findParts({ ...files, busybox: process.execPath })).toEqual(missing);
  expect(await findParts({ ...files, busybox: files.kernel })).toEqual(missing);
});

test.skipIf(!isLinux)('a file by a relative name is not looked for', async () => {
  const { files } = partsIn(tempFolder());
  const qemu = path.relative(process.cwd(), files.qemu);
  expect(await findParts({ ...files, qemu })).toMatchObject({ kind: 'missing' });
});

test.skipIf(!isLinux)('a folder is no kernel', async () => {
  const { files, folder } = partsIn(tempFolder());
  const missing = { kind: 'missing', reason: 'a virtual machine needs a readable kernel' };
  expect(await findParts({ ...files, kernel: folder })).toEqual(missing);
});

test.skipIf(!isLinux || process.getuid?.() === 0)(
  'a plain user is told which program serves files for them',
  async () => {
    const folder = tempFolder();
    const { files } = partsIn(folder);
    writeFileSync(files.virtiofsd, '#!/bin/sh\necho "-o source=PATH"\n');
    mkdirSync(path.join(folder, 'modules'));
    writeFileSync(path.join(folder, 'modules/modules.dep'), '');
    const builtin = ['virtio_pci', 'virtiofs', 'virtio_console', 'virtio_net'].map((name) => `${name}.ko\n`).join('');
    writeFileSync(path.join(folder, 'modules/modules.builtin'), builtin);
    const probe = await probeVm({ ...files, modules: path.join(folder, 'modules') });
    expect(probe).toMatchObject({ kind: 'broken', reason: expect.stringContaining('for the superuser only') });
  },
);

test.skipIf(!isLinux)('a kernel without its modules is broken', async () => {
  const { files } = partsIn(tempFolder());
  expect(await probeVm(files)).toMatchObject({
    kind: 'broken',
    reason: expect.stringContaining('lib/modules/6.1-test/modules.'),
  });
});

test.skipIf(!isLinux)('programs that ask for a loader are told from those that do not', () => {
  expect(hasInterpreter(readFileSync(process.execPath))).toBe(true);
  expect(hasInterpreter(staticProgram())).toBe(false);
  for (const byte of [0, 4, 5]) expect(hasInterpreter(staticProgram().fill(9, byte, byte + 1))).toBe(true);
  expect(hasInterpreter(staticProgram().subarray(0, 63))).toBe(true);
  expect(hasInterpreter(staticProgram().subarray(0, 65))).toBe(true);
  expect(hasInterpreter(Buffer.from('#!/bin/sh\n'.padEnd(200)))).toBe(true);
});

type NamedFiles = { readonly [Name in keyof typeof NOWHERE]: string };

function partsIn(folder: string): { readonly files: NamedFiles; readonly folder: string } {
  const write = (name: string, content: string | Buffer): string => {
    const file = path.join(folder, name);
    writeFileSync(file, content);
    chmodSync(file, 0o755);
    return file;
  };
  const files = {
    qemu: write('qemu', ''),
    virtiofsd: write('virtiofsd', '#!/bin/sh\necho "  --shared-dir <DIR>"\n'),
    busybox: write('busybox', staticProgram()),
    perl: write('perl', ''),
    kernel: write('vmlinuz-6.1-test', ''),
  };
  return { files, folder };
}

/** The head of a program with one segment to load, and nothing else. */
function staticProgram(): Buffer {
  const bytes = Buffer.alloc(64 + 56);
  bytes.write('\u007FELF\u0002\u0001', 'latin1');
  bytes.writeBigUInt64LE(64n, 32);
  bytes.writeUInt16LE(56, 54);
  bytes.writeUInt16LE(1, 56);
  bytes.writeUInt32LE(1, 64);
  return bytes;
}
