/** Which process something belongs to, in a form that can be part of a file's name and be asked for later. */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** This process: its number, when it was started, and where such numbers mean the same. */
export function ownMark(): string {
  return [process.pid, startOf(process.pid), machine()].join('.');
}

export function pidOf(mark: string): number {
  return Number(mark.split('.')[0]);
}

/** `unknown`: on another machine, or it is hidden from us. What follows the mark after a dot does not matter. */
export function fateOf(mark: string): 'running' | 'gone' | 'unknown' {
  const [pid = '', start = '', where = ''] = mark.split('.');
  if (where !== machine()) return 'unknown';
  if (!isRunning(Number(pid))) return 'gone';
  const now = startOf(Number(pid));
  if (now === ENDED) return 'gone';
  if (now === UNKNOWN || start === UNKNOWN) return 'unknown';
  return now === start ? 'running' : 'gone';
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const UNKNOWN = '0';
const ENDED = '-';

/** When a process was started, which tells it from a later one of the same number. Others' may be hidden. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name comes first and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // Killed, but nobody has asked how it ended.
    if (fields[0] === 'Z' || fields[0] === 'X') return ENDED;
    return fields[19] ?? UNKNOWN;
  } catch {
    return UNKNOWN;
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
