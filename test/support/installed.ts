import { existsSync } from 'node:fs';
import path from 'node:path';

/** Whether there is such a program here; what needs one that is missing is shown as skipped. */
export function isInstalled(program: string): boolean {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return folders.some((folder) => existsSync(path.join(folder, program)));
}

export const HAS_BUBBLEWRAP = isInstalled('bwrap');
