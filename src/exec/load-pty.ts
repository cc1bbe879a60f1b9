/**
 * The native part behind terminals, loaded only when a terminal is asked for. The package's own JavaScript is left
 * out: on Node 20 it loses the end of short outputs (docs/decisions/0010-terminals.md).
 */
import { createRequire } from 'node:module';

export type PtyAddon = {
  /** Both sides, and the name under which the program's side can be opened. */
  open(columns: number, rows: number): { readonly master: number; readonly slave: number; readonly pty: string };
  resize(master: number, columns: number, rows: number): void;
};

/** Throws when there is none for this platform. */
export function loadPty(): PtyAddon {
  if (process.platform === 'win32') throw new Error('terminals are not supported on Windows');
  const require = createRequire(import.meta.url);
  const fromPackage = createRequire(require.resolve('@lydell/node-pty'));
  return fromPackage(`@lydell/node-pty-${process.platform}-${process.arch}/pty.node`) as PtyAddon;
}
