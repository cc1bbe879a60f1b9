/**
 * What a virtual machine is made of, looked for where a system keeps its own programs. The search path of the user is not
 * asked: a folder in it may be one that commands can write to.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { hasInterpreter } from './elf.js';
import { hostArchitecture } from './system-calls.js';
import type { Architecture } from './system-calls.js';
import type { VirtiofsdKind } from './virtiofsd-arguments.js';

/** Absolute paths; what is not named is looked for. */
export type PartOptions = {
  readonly qemu?: string;
  readonly virtiofsd?: string;
  /** One that needs no libraries. */
  readonly busybox?: string;
  readonly perl?: string;
  readonly kernel?: string;
  /** The folder with the modules of that kernel and their lists; by default the one that belongs to its name. */
  readonly modules?: string;
};

export type Parts = {
  readonly architecture: Architecture;
  readonly qemu: string;
  readonly virtiofsd: { readonly file: string; readonly kind: VirtiofsdKind };
  readonly busybox: string;
  readonly perl: string;
  readonly kernel: string;
  readonly modules: string;
};

export type PartsFound =
  | { readonly kind: 'found'; readonly parts: Parts }
  | { readonly kind: 'missing'; readonly reason: string };

export async function findParts(options: PartOptions): Promise<PartsFound> {
  const architecture = process.platform === 'linux' ? hostArchitecture() : undefined;
  if (architecture === undefined) return { kind: 'missing', reason: 'virtual machines need Linux on x64 or arm64' };
  const emulator = EMULATORS[architecture];
  const [qemu, virtiofsd, busybox, perl, kernel] = await Promise.all([
    findFile(options.qemu, inFolders(PROGRAM_FOLDERS, emulator)),
    findFile(options.virtiofsd, inFolders(SERVER_FOLDERS, 'virtiofsd')),
    findFile(options.busybox, inFolders(PROGRAM_FOLDERS, 'busybox'), isStatic),
    findFile(options.perl, inFolders(PROGRAM_FOLDERS, 'perl')),
    findFile(options.kernel, await installedKernels()),
  ]);
  const names: Readonly<Record<string, string | undefined>> = {
    [emulator]: qemu,
    virtiofsd,
    'a static busybox': busybox,
    perl,
    'a readable kernel': kernel,
  };
  const missing = Object.keys(names).filter((name) => names[name] === undefined);
  if (!qemu || !virtiofsd || !busybox || !perl || !kernel) {
    return { kind: 'missing', reason: `a virtual machine needs ${missing.join(', ')}` };
  }
  const modules = options.modules ?? modulesOf(kernel);
  const server = { file: virtiofsd, kind: await virtiofsdKind(virtiofsd) };
  return { kind: 'found', parts: { architecture, qemu, virtiofsd: server, busybox, perl, kernel, modules } };
}

const EMULATORS = { x64: 'qemu-system-x86_64', arm64: 'qemu-system-aarch64' } as const;
const PROGRAM_FOLDERS = ['/usr/bin', '/bin', '/usr/local/bin', '/usr/sbin', '/sbin'];
const SERVER_FOLDERS = ['/usr/libexec', '/usr/lib/qemu', '/usr/lib', ...PROGRAM_FOLDERS];
const KERNEL_FOLDER = '/boot';

function inFolders(folders: readonly string[], name: string): readonly string[] {
  return folders.map((folder) => path.join(folder, name));
}

/** A file that was named is taken or missed; it is never replaced by another one. */
async function findFile(
  named: string | undefined,
  usual: readonly string[],
  isRight: (file: string) => Promise<boolean> = async () => true,
): Promise<string | undefined> {
  for (const file of named === undefined ? usual : [named]) {
    if (path.isAbsolute(file) && (await isReadableFile(file)) && (await isRight(file))) return file;
  }
  return undefined;
}

async function isReadableFile(file: string): Promise<boolean> {
  try {
    await fs.access(file, fs.constants.R_OK);
    return (await fs.stat(file)).isFile();
  } catch {
    return false;
  }
}

async function isStatic(file: string): Promise<boolean> {
  return !hasInterpreter(await fs.readFile(file));
}

/** Newest first, by the numbers in their names. */
async function installedKernels(): Promise<readonly string[]> {
  const names = await fs.readdir(KERNEL_FOLDER).catch(() => []);
  const order = new Intl.Collator('en', { numeric: true });
  const kernels = names.filter((name) => name.startsWith('vmlinuz-')).toSorted((a, b) => order.compare(b, a));
  return kernels.map((name) => path.join(KERNEL_FOLDER, name));
}

/** `/boot/vmlinuz-6.1` has its modules in `/lib/modules/6.1`, wherever the two folders have been unpacked. */
function modulesOf(kernel: string): string {
  const release = path.basename(kernel).replace(/^vmlinu[xz]-/, '');
  return path.resolve(path.dirname(kernel), '../lib/modules', release);
}

async function virtiofsdKind(file: string): Promise<VirtiofsdKind> {
  const { stdout } = await promisify(execFile)(file, ['--help'], { timeout: 10_000 }).catch(() => ({ stdout: '' }));
  return stdout.includes('--shared-dir') ? 'modern' : 'classic';
}
