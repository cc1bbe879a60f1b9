/**
 * Whether the program in the foreground of a terminal is blocked reading from it, as the kernel tells under `/proc`.
 * A program that watches anything beside the terminal, or only for a while, is not called waiting.
 */
import fs from 'node:fs';

import { descendantsOf, readText, statOf } from './process-table.js';

/**
 * A mark that is another one each time the program blocks: it counts how often the reading thread has gone to sleep.
 * Absent when the program does something else, or when the system does not tell.
 */
export function waitingMark(leader: number, terminal: number): string | undefined {
  const foreground = statOf(leader)?.foregroundGroup;
  if (SYSTEM_CALLS[process.arch] === undefined || foreground === undefined) return undefined;
  const pids = [leader, ...descendantsOf(leader)].filter((pid) => statOf(pid)?.group === foreground);
  const tasks = pids.flatMap(tasksOf);
  if (!tasks.every(isAsleep)) return undefined;
  const reader = tasks.find((task) => isReading(task, terminal));
  if (reader === undefined || tasks.some((task) => task !== reader && wakesByItself(task))) return undefined;
  return `${reader.pid}.${reader.tid}.${sleepsOf(reader)}`;
}

type Task = { readonly pid: number; readonly tid: string };

function tasksOf(pid: number): Task[] {
  try {
    return fs.readdirSync(`/proc/${pid}/task`).map((tid) => ({ pid, tid }));
  } catch {
    return [];
  }
}

function isAsleep({ pid, tid }: Task): boolean {
  return statOf(pid, tid)?.state === 'S';
}

function sleepsOf({ pid, tid }: Task): string {
  return /^voluntary_ctxt_switches:\s*(\d+)/m.exec(readText(`/proc/${pid}/task/${tid}/status`) ?? '')?.[1] ?? '';
}

/** The system calls that tell what a program waits for, by number. */
const SYSTEM_CALLS: Readonly<Record<string, ReadonlyMap<number, Waiting>>> = {
  x64: byNumber({
    read: [0, 19],
    poll: [7],
    ppoll: [271],
    select: [23, 270],
    epoll: [232, 281],
    futex: [202],
    sleep: [35, 230],
  }),
  arm64: byNumber({ read: [63, 65], poll: [], ppoll: [73], select: [72], epoll: [22], futex: [98], sleep: [101, 115] }),
};

function byNumber(calls: Readonly<Record<Waiting, readonly number[]>>): ReadonlyMap<number, Waiting> {
  const pairs = Object.entries(calls) as [Waiting, readonly number[]][];
  return new Map(pairs.flatMap(([waiting, numbers]) => numbers.map((number) => [number, waiting])));
}

type Waiting = 'read' | 'select' | 'poll' | 'ppoll' | 'epoll' | 'futex' | 'sleep';

type Blocked = { readonly waiting: Waiting; readonly args: readonly bigint[] };

function blockedIn({ pid, tid }: Task): Blocked | undefined {
  // A program of another user does not let us look.
  const [number, ...args] = readText(`/proc/${pid}/task/${tid}/syscall`)?.split(' ') ?? ['running'];
  const waiting = SYSTEM_CALLS[process.arch]?.get(Number(number));
  return waiting && { waiting, args: args.map(BigInt) };
}

function isReading(task: Task, terminal: number): boolean {
  const blocked = blockedIn(task);
  if (blocked === undefined || hasLimit(blocked)) return false;
  const descriptors = watchedBy(blocked, task.pid);
  return descriptors.length > 0 && descriptors.every((each) => isTerminal(task.pid, each, terminal));
}

/** A program or thread that sleeps beside the one that reads goes on whether or not anybody types. */
function wakesByItself(task: Task): boolean {
  const blocked = blockedIn(task);
  return blocked !== undefined && hasLimit(blocked);
}

/** Whether the wait ends after some time. */
function hasLimit({ waiting, args }: Blocked): boolean {
  const [, , third = 0n, fourth = 0n, fifth = 0n] = args;
  switch (waiting) {
    case 'read':
      return false;
    case 'select':
      return fifth !== 0n;
    case 'poll':
      return BigInt.asIntN(32, third) >= 0n;
    case 'ppoll':
      return third !== 0n;
    case 'epoll':
      return BigInt.asIntN(32, fourth) >= 0n;
    case 'futex':
      return fourth !== 0n;
    case 'sleep':
      return true;
  }
}

function watchedBy({ waiting, args }: Blocked, pid: number): readonly number[] {
  const [first = 0n, second = 0n] = args;
  switch (waiting) {
    case 'read':
      return [Number(first)];
    case 'select':
      return inSet(readMemory(pid, second, Math.ceil(Number(first) / 8)));
    case 'poll':
    case 'ppoll':
      return inPollList(readMemory(pid, first, Number(second) * POLL_ENTRY));
    case 'epoll':
    case 'futex':
    case 'sleep':
      return [];
  }
}

const POLL_ENTRY = 8;
const MOST_BYTES = 8_192;

function inSet(bits: Buffer): readonly number[] {
  return [...bits].flatMap((byte, index) =>
    Array.from({ length: 8 }, (_, bit) => ((byte >> bit) & 1 ? [index * 8 + bit] : [])).flat(),
  );
}

function inPollList(entries: Buffer): readonly number[] {
  return Array.from({ length: Math.floor(entries.length / POLL_ENTRY) }, (_, index) =>
    entries.readInt32LE(index * POLL_ENTRY),
  );
}

function readMemory(pid: number, address: bigint, length: number): Buffer {
  const memory = Buffer.alloc(Math.min(length, MOST_BYTES));
  if (address === 0n) return Buffer.alloc(0);
  try {
    const descriptor = fs.openSync(`/proc/${pid}/mem`, 'r');
    try {
      return memory.subarray(0, fs.readSync(descriptor, memory, 0, memory.length, address));
    } finally {
      fs.closeSync(descriptor);
    }
  } catch {
    return Buffer.alloc(0);
  }
}

/** By its device, because it may have another name where the program runs. */
function isTerminal(pid: number, descriptor: number, terminal: number): boolean {
  const device = fs.statSync(`/proc/${pid}/fd/${descriptor}`, { throwIfNoEntry: false })?.rdev;
  return device === terminal || (device !== undefined && device === fs.statSync('/dev/tty').rdev);
}
