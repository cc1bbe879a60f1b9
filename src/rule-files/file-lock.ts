/**
 * One writer at a time, across processes. Whoever wants to write puts up a claim, a file whose name says who it is, and
 * looks around: if nobody else has one up, the turn is theirs, else they take it down and try again. Two can never miss
 * each other, and the claim of a process that is gone is nobody's: it is removed without any risk to a living one.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import fs from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { ConfigError } from '../core/errors.js';

const LONGEST_WAIT_MS = 15_000;
const MOST_PAUSE_MS = 25;
/** Where it cannot be seen whether the owner lives; a turn takes a few milliseconds. */
const LONGEST_TURN_MS = 60_000;

/** Throws a `ConfigError` when others do not let go of the file. Its folder must exist. */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const claim = `${prefixOf(file)}${process.pid}.${startOf(process.pid)}.${machine()}.${randomBytes(6).toString('hex')}`;
  const folder = path.dirname(file);
  await claimTurn(file, path.join(folder, claim));
  try {
    return await work();
  } finally {
    await fs.rm(path.join(folder, claim), { force: true });
  }
}

async function claimTurn(file: string, claim: string): Promise<void> {
  const deadline = Date.now() + LONGEST_WAIT_MS;
  for (;;) {
    if (!(await isClaimed(file, claim))) {
      await fs.writeFile(claim, '', { mode: 0o600, flag: 'wx' });
      if (!(await isClaimed(file, claim))) return;
      await fs.rm(claim, { force: true });
    }
    if (Date.now() > deadline) {
      throw new ConfigError(`${file} is being changed by another process; try again when it is done`);
    }
    // At random, so that two who met do not meet again.
    await pause(1 + Math.random() * MOST_PAUSE_MS);
  }
}

/** By somebody else who is alive. */
async function isClaimed(file: string, own: string): Promise<boolean> {
  const folder = path.dirname(file);
  const prefix = prefixOf(file);
  for (const name of await fs.readdir(folder)) {
    const other = path.join(folder, name);
    if (!name.startsWith(prefix) || other === own) continue;
    if (await isAlive(other, name.slice(prefix.length))) return true;
    await fs.rm(other, { force: true });
  }
  return false;
}

async function isAlive(claim: string, owner: string): Promise<boolean> {
  const [pid = '', start = '', where = ''] = owner.split('.');
  if (where === machine()) {
    const now = startOf(Number(pid));
    if (now === undefined || !isRunning(Number(pid))) return false;
    if (now !== UNKNOWN_START) return now === start;
  }
  const stats = await fs.stat(claim).catch(() => undefined);
  return stats !== undefined && Date.now() - stats.mtimeMs < LONGEST_TURN_MS;
}

function prefixOf(file: string): string {
  return `.${path.basename(file)}.claim.`;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const UNKNOWN_START = '0';

/** When a process was started, which tells it from a later one of the same number; undefined when it is gone. */
function startOf(pid: number): string | undefined {
  if (process.platform !== 'linux') return UNKNOWN_START;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name comes first and may hold anything.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? UNKNOWN_START;
  } catch {
    return undefined;
  }
}

/** Where the numbers of processes mean the same. */
function machine(): string {
  return `${hostname()}-${processSpace()}`.replace(/[^\w-]/g, '_').slice(-60);
}

function processSpace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
