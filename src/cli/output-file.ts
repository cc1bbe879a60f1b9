/** The file of `-o`. Whether it can be written is known before anything else is done. */
import { accessSync, constants, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { Stats } from 'node:fs';
import path from 'node:path';

import { UsageError } from './usage-error.js';

/** Hands out how to write it, all at once where that is possible. Throws a `UsageError`. */
export function openOutputFile(given: string, flag: string): (text: string) => void {
  const cannot = (reason: string): UsageError => new UsageError(`${flag} ${given} cannot be written: ${reason}`);
  const target = realTarget(given);
  const stats = statsOf(target);
  if (stats?.isDirectory()) throw cannot('it is a folder');
  if (stats !== undefined && !isWritable(target)) throw cannot('permission denied');
  const folder = path.dirname(target);
  // Pipes and devices are written to; they cannot be replaced.
  const isFile = stats === undefined || stats.isFile();
  const replaceable = isFile && statsOf(folder)?.isDirectory() === true && isWritable(folder);
  if (stats === undefined && !replaceable) throw cannot(reasonFor(folder));
  return (text) => (replaceable ? replace(target, text, stats?.mode) : writeFileSync(target, text));
}

/** A link is kept, and where it leads to is replaced. */
function realTarget(given: string): string {
  try {
    return realpathSync(given);
  } catch {
    return path.resolve(given);
  }
}

function statsOf(place: string): Stats | undefined {
  try {
    return statSync(place);
  } catch {
    return undefined;
  }
}

function isWritable(place: string): boolean {
  try {
    accessSync(place, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function reasonFor(folder: string): string {
  const stats = statsOf(folder);
  if (stats === undefined) return `there is no folder ${folder}`;
  return stats.isDirectory() ? `the folder ${folder} cannot be written to` : `${folder} is not a folder`;
}

function replace(target: string, text: string, mode = 0o666): void {
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, text, { flag: 'wx', mode: mode & 0o777 });
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
