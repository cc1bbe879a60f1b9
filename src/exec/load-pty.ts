/**
 * The native part behind terminals, loaded only when a terminal is asked for. The package's own JavaScript is left
 * out: on Node 20 it loses the end of short outputs (docs/decisions/0010-terminals.md).
 */
import { createRequire } from 'node:module';

/** What the addon offers on Linux and macOS. */
type PtyAddon = {
  fork(
    file: string,
    args: readonly string[],
    env: readonly string[],
    cwd: string,
    columns: number,
    rows: number,
    uid: number,
    gid: number,
    utf8: boolean,
    helperPath: string,
    onExit: (code: number, signal: number) => void,
  ): { readonly fd: number; readonly pid: number; readonly pty: string };
  resize(fd: number, columns: number, rows: number): void;
};

export type Pty = { readonly addon: PtyAddon; readonly helperPath: string };

/** Throws when there is none for this platform. */
export function loadPty(): Pty {
  if (process.platform === 'win32') throw new Error('terminals are not supported on Windows');
  const require = createRequire(import.meta.url);
  const fromPackage = createRequire(require.resolve('@lydell/node-pty'));
  const binaries = `@lydell/node-pty-${process.platform}-${process.arch}`;
  return {
    addon: fromPackage(`${binaries}/pty.node`) as PtyAddon,
    // Only macOS starts programs through a helper.
    helperPath: process.platform === 'darwin' ? fromPackage.resolve(`${binaries}/spawn-helper`) : '',
  };
}
