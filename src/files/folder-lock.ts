/**
 * Keeps several processes of ours from giving names in one folder at once. It is held only while nothing is awaited, so
 * nobody waits for long, and what is older than any such while was left by somebody who was killed.
 */
import fs from 'node:fs';
import { setTimeout } from 'node:timers/promises';

import { errorCode } from '../core/file-problem.js';

const NAME = '.tenon-lock';
const LONGEST_MS = 2_000;
/** Threads of one process have the same number, but did not begin at the same time. */
const ours = (): string => `${process.pid}-${Math.round(performance.timeOrigin * 1000).toString(36)}`;
/** Once a millisecond. */
const ATTEMPTS = 2 * LONGEST_MS;

/** What `ready` finds out is asked for right before; `act` awaits nothing. A system without links goes without a lock. */
export async function withFolderLock<Value>(
  folder: string,
  ready: () => Promise<Value>,
  act: (value: Value) => void,
): Promise<void> {
  const lock = `${folder}/${NAME}`;
  for (let left = ATTEMPTS; left > 0; left -= 1) {
    const value = await ready();
    if (isForeign(lock)) return act(value);
    if (take(lock)) return actAndRelease(lock, () => act(value));
    if (isStale(lock)) release(lock);
    else await setTimeout(1);
  }
  throw new Error(`others do not let go of ${NAME} beside it`);
}

function actAndRelease(lock: string, act: () => void): void {
  try {
    act();
  } finally {
    release(lock);
  }
}

/** A link that leads nowhere: it is made with what it says, all at once. */
function take(lock: string): boolean {
  try {
    fs.symlinkSync(ours(), lock);
    return true;
  } catch (error) {
    if (['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'].includes(errorCode(error))) return true;
    if (errorCode(error) !== 'EEXIST') throw error;
    return false;
  }
}

function isStale(lock: string): boolean {
  try {
    const holder = fs.readlinkSync(lock);
    const age = Date.now() - fs.lstatSync(lock).ctimeMs;
    // We do not hold it, because whoever does awaits nothing.
    return holder === ours() || age > LONGEST_MS || !isRunning(Number.parseInt(holder, 10));
  } catch {
    // It is gone, and can be taken.
    return false;
  }
}

/** Something of that name that is no lock of ours: it is neither waited for nor removed. */
function isForeign(lock: string): boolean {
  return fs.lstatSync(lock, { throwIfNoEntry: false })?.isSymbolicLink() === false;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // There is such a process, but it is none of ours.
    return errorCode(error) === 'EPERM';
  }
}

/** Gone as well when somebody has taken it for old. What fails is tried again, because others would wait. */
function release(lock: string): void {
  if (!isGone(lock)) isGone(lock);
}

function isGone(lock: string): boolean {
  try {
    fs.unlinkSync(lock);
    return true;
  } catch (error) {
    return errorCode(error) === 'ENOENT';
  }
}

/** For after a kill. */
export async function removeLockOf(folder: string, pid: number): Promise<void> {
  const lock = `${folder}/${NAME}`;
  const holder = await fs.promises.readlink(lock).catch(() => undefined);
  if (holder?.startsWith(`${pid}-`) === true) await fs.promises.unlink(lock).catch(() => undefined);
}
