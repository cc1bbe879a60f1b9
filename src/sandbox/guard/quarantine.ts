/** Puts things away under a name that no program looks for. Nothing is ever deleted or written over. */
import { chmodSync, closeSync, lstatSync, mkdirSync, openSync, renameSync, rmdirSync, unlinkSync } from 'node:fs';
import path from 'node:path';

import { absolutePath } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';

const PREFIX = '.tenon-quarantine-';
const LONGEST_NAME = 60;

/** A path as text, or as the bytes of a name that is no text. */
export type FileName = string | Buffer;

/**
 * Moves a thing into the first of these folders that takes it and returns where it is now. It goes beside what is
 * protected rather than inside of it: programs that read a whole folder would read it there under any name.
 */
export function putAway(thing: FileName, folders: readonly string[]): AbsolutePath {
  const [first = '.', ...others] = folders;
  try {
    return moveInto(first, thing);
  } catch (error) {
    if (others.length === 0) throw error;
    return putAway(thing, others);
  }
}

/** A folder has to be writable itself to get another parent, and a command may have made it otherwise. */
export function moveTo(thing: FileName, place: string, isFolder: boolean): void {
  try {
    renameSync(thing, place);
  } catch (error) {
    if (!isFolder || (error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    chmodSync(thing, 0o700);
    renameSync(thing, place);
  }
}

function moveInto(folder: string, thing: FileName): AbsolutePath {
  const isFolder = lstatSync(thing).isDirectory();
  const place = reserve(folder, plainName(thing), isFolder);
  try {
    moveTo(thing, place, isFolder);
  } catch (error) {
    (isFolder ? rmdirSync : unlinkSync)(place);
    throw error;
  }
  return absolutePath(place);
}

/** An empty thing of the same kind holds the name, so that two who put things away cannot take the same one. */
function reserve(folder: string, name: string, isFolder: boolean): string {
  for (let count = 1; ; count += 1) {
    const place = path.join(folder, `${PREFIX}${count}-${name}`);
    try {
      if (isFolder) mkdirSync(place);
      else closeSync(openSync(place, 'wx'));
      return place;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** No dots: an ending would mean something to somebody. */
function plainName(thing: FileName): string {
  const name = path.basename(thing.toString());
  return name
    .replace(/^\.+/, '')
    .replaceAll(/[^A-Za-z0-9_-]/g, '-')
    .slice(0, LONGEST_NAME);
}
