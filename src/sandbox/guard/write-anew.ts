/** Makes files, folders and links as they were. Nothing is written through a link: a file is put in place as a whole. */
import { chmodSync, chownSync, closeSync, fchmodSync, fchownSync, mkdirSync, openSync } from 'node:fs';
import { renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { Entry } from './snapshot.js';
import type { Stamp } from './stamp.js';

/** Replaces a file of the same path; everything else must be out of the way. */
export function writeAnew(entry: Entry): void {
  if (entry.kind === 'file') writeFile(entry.path, entry.content, entry.stamp);
  else if (entry.kind === 'link') symlinkSync(entry.target, entry.path);
  else if (entry.kind === 'folder') {
    mkdirSync(entry.path, { mode: 0o700 });
    giveRights(entry.path, entry.stamp);
  }
}

/** For a folder only: the caller has seen that it is one. */
export function giveRights(folder: string, { mode, owner, group }: Stamp): void {
  ifAllowed(() => chownSync(folder, owner, group));
  chmodSync(folder, mode);
}

function writeFile(file: string, content: Buffer, { mode, owner, group }: Stamp): void {
  const [descriptor, temporary] = openBeside(file);
  try {
    writeFileSync(descriptor, content);
    ifAllowed(() => fchownSync(descriptor, owner, group));
    fchmodSync(descriptor, mode);
    renameSync(temporary, file);
  } catch (error) {
    unlinkSync(temporary);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** `x`: whatever has that name already, and be it a link, is left alone. */
function openBeside(file: string): readonly [descriptor: number, temporary: string] {
  for (let count = 1; ; count += 1) {
    const temporary = path.join(path.dirname(file), `.tenon-restored-${process.pid}-${count}`);
    try {
      return [openSync(temporary, 'wx', 0o600), temporary];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** Only the superuser can give files away, and only they can have taken them. */
function ifAllowed(change: () => void): void {
  try {
    change();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}
