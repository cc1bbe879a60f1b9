/** A kernel for tests with virtual machines: the system's own, or one from its packages, unpacked into a folder. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';

export type VmKernel =
  | { readonly kind: 'found'; readonly kernel: string }
  | { readonly kind: 'missing'; readonly reason: string };

const DOWNLOAD_MS = 120_000;

/** Installs nothing. `folder` is the caller's to remove. */
export function vmKernel(folder: string): VmKernel {
  const installed = newestKernel('/boot');
  if (installed !== undefined) return { kind: 'found', kernel: installed };
  try {
    return { kind: 'found', kernel: downloadKernel(folder) };
  } catch (error) {
    return {
      kind: 'missing',
      reason: `there is no kernel in /boot, and none to download: ${(error as Error).message}`,
    };
  }
}

function downloadKernel(folder: string): string {
  const meta = `linux-image-cloud-${process.arch === 'arm64' ? 'arm64' : 'amd64'}`;
  const depends = run('apt-cache', ['depends', meta], folder);
  const name = /Depends: (linux-image-\S+)/.exec(depends)?.[1];
  if (name === undefined) throw new Error(`${meta} is not known`);
  run('apt-get', ['download', name], folder);
  const archive = readdirSync(folder).find((file) => file.endsWith('.deb'));
  run('dpkg', ['-x', archive ?? '', folder], folder);
  const kernel = newestKernel(path.join(folder, 'boot'));
  if (kernel === undefined) throw new Error(`${name} holds no kernel`);
  run('busybox', ['depmod', '-b', folder, path.basename(kernel).replace('vmlinuz-', '')], folder);
  return kernel;
}

function newestKernel(folder: string): string | undefined {
  try {
    const names = readdirSync(folder).filter((name) => name.startsWith('vmlinuz-'));
    const newest = names.toSorted(new Intl.Collator('en', { numeric: true }).compare).at(-1);
    return newest === undefined ? undefined : path.join(folder, newest);
  } catch {
    return undefined;
  }
}

function run(file: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(file, args, { cwd, encoding: 'utf8', timeout: DOWNLOAD_MS });
  if (status === 0) return stdout;
  throw new Error(`${file} ${args.join(' ')}: ${error?.message ?? stderr.trim()}`);
}
