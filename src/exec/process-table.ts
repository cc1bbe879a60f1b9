/** The system's table of processes, as Linux shows it under `/proc`. Elsewhere it is empty. */
import fs from 'node:fs';

export type Stat = {
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** The group in the foreground of its terminal. */
  readonly foregroundGroup: number;
  /** Clock ticks since the system was started. */
  readonly startTicks: number;
};

export function statOf(pid: number, tid: string = String(pid)): Stat | undefined {
  const text = readText(`/proc/${pid}/task/${tid}/stat`);
  if (text === undefined) return undefined;
  // The program's name comes first and may hold anything, a closing bracket too.
  const [state = '', ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [parent = 0, group = 0, session = 0, , foregroundGroup = 0, ...rest] = fields.map(Number);
  return { state, parent, group, session, foregroundGroup, startTicks: rest[13] ?? 0 };
}

/** Of every process that has not ended. */
export function allStats(): ReadonlyMap<number, Stat> {
  const stats = new Map<number, Stat>();
  for (const pid of numbersIn('/proc')) {
    const stat = statOf(pid);
    if (stat !== undefined && stat.state !== 'Z' && stat.state !== 'X') stats.set(pid, stat);
  }
  return stats;
}

function numbersIn(folder: string): readonly number[] {
  try {
    return fs
      .readdirSync(folder)
      .map(Number)
      .filter((number) => number > 0);
  } catch {
    return [];
  }
}

/** Its children and theirs, except those that were left to somebody else. */
export function descendantsOf(pid: number): readonly number[] {
  const children = tasksChildren(pid);
  return [...children, ...children.flatMap(descendantsOf)];
}

function tasksChildren(pid: number): readonly number[] {
  return numbersIn(`/proc/${pid}/task`)
    .flatMap((tid) => readText(`/proc/${pid}/task/${tid}/children`)?.split(' ') ?? [])
    .map(Number)
    .filter((child) => child > 0);
}

/** The variables it was started with, as `NAME=value`. */
export function environmentOf(pid: number): readonly string[] {
  return readText(`/proc/${pid}/environ`)?.split('\0') ?? [];
}

/** Its command line as a person would type it; a process without one shows its name in brackets. */
export function commandOf(pid: number): string {
  const words = (readText(`/proc/${pid}/cmdline`) ?? '').split('\0').filter((word) => word !== '');
  return words.length > 0 ? words.join(' ') : `[${readText(`/proc/${pid}/comm`)?.trim() ?? '?'}]`;
}

export function memoryOf(pid: number): number {
  const kilobytes = /^VmRSS:\s*(\d+) kB/m.exec(readText(`/proc/${pid}/status`) ?? '')?.[1];
  return Number(kilobytes ?? 0) * 1024;
}

const TICKS_PER_SECOND = 100;

/** Since the system was started. */
export function ticksNow(): number {
  const [seconds = '0'] = (readText('/proc/uptime') ?? '').split(' ');
  return Math.ceil(Number(seconds) * TICKS_PER_SECOND);
}

export function startOf({ startTicks }: Stat): Date {
  const bootSeconds = Number(/^btime (\d+)/m.exec(readText('/proc/stat') ?? '')?.[1] ?? 0);
  return new Date((bootSeconds + startTicks / TICKS_PER_SECOND) * 1000);
}

/** Absent when the process is gone or not ours to look at. */
export function readText(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
