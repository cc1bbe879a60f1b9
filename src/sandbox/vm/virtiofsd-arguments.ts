/** The command line of the program that serves the host's files to the guest; there are two programs of that name. */

/** `classic` came with QEMU up to version 7; `modern` is on its own, and written in Rust. */
export type VirtiofsdKind = 'classic' | 'modern';

export type Share = {
  readonly kind: VirtiofsdKind;
  /** The folder whose content the guest gets. */
  readonly folder: string;
  /** A listening socket that it inherits: with a path it would leave files of its own behind. */
  readonly descriptor: number;
};

/**
 * It locks itself into the folder. Mounts in it are announced, or files on different disks could have the same number in
 * the guest. Its cache is short, because the host writes to the same files.
 */
export function virtiofsdArguments({ kind, folder, descriptor }: Share): readonly string[] {
  if (kind === 'modern') {
    return [
      `--fd=${descriptor}`,
      `--shared-dir=${folder}`,
      '--sandbox=namespace',
      '--announce-submounts',
      '--cache=auto',
      '--log-level=error',
    ];
  }
  const options = [`source=${folder}`, 'sandbox=namespace', 'announce_submounts', 'cache=auto', 'log_level=err'];
  return [`--fd=${descriptor}`, '-f', ...options.flatMap((option) => ['-o', option])];
}
