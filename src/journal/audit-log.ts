/**
 * A record of everything that was asked for, decided and done: one JSON line for each event, in a file that is only ever
 * added to. It is written before the next thing happens. Once it cannot be written, or is no longer the file it was, no call
 * runs any more: what an agent did has to be provable, or not be done.
 */
import { closeSync, constants, fdatasync, fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

import { ConfigError, messageOf } from '../core/errors.js';
import { errorCode } from '../core/file-problem.js';
import type { Listener, RuntimeEvent } from '../core/events.js';
import type { Journal } from '../core/journal.js';
import { isInside } from '../core/paths.js';
import type { AbsolutePath } from '../core/paths.js';
import { makeFolder } from './make-folder.js';

export interface AuditLog {
  /** Throws when the event could not be written. */
  readonly listener: Listener;
  /** The journal that stops calls whose record cannot be kept. */
  readonly journal: Journal;
  /** To be called when nothing more will happen. */
  close(): void;
}

export type AuditLogOptions = {
  readonly path: AbsolutePath;
  /** Tells the lines of this runtime from those of others in the same file. */
  readonly run: string;
  /** Folders that confined commands may write to: a record there would prove nothing. */
  readonly untrusted: readonly AbsolutePath[];
  /** The same path without links, as far as it exists. */
  readonly realPath: (path: string) => AbsolutePath;
};

/** Throws a `ConfigError` when there cannot be such a file. */
export function createAuditLog(options: AuditLogOptions): AuditLog {
  const { path: file, run } = options;
  checkPlace(options);
  const log = openLog(file);
  let failure: Error | undefined;
  let closed = false;
  const broken = (error: unknown): Error =>
    new Error(`the audit log ${file} cannot be kept: ${messageOf(error)}`, { cause: error });

  function write(event: RuntimeEvent): void {
    if (failure !== undefined) throw failure;
    try {
      log.append(JSON.stringify({ run, ...event }));
    } catch (error) {
      failure = broken(error);
      throw failure;
    }
  }

  /** Something that stopped the record once stops it for good. */
  async function check(sync: boolean): Promise<void> {
    if (failure !== undefined) throw failure;
    try {
      log.check();
      if (sync) await log.sync();
    } catch (error) {
      failure ??= broken(error);
      throw failure;
    }
  }

  return {
    listener(event) {
      if (!LEFT_OUT.has(event.type)) write(event);
    },
    // What a call is about to do was told before, so that it is on the disk before it is done.
    journal: {
      intended: async () => check(true),
      // What ends the turn already has nothing left to stop.
      settled: async (_, { outcome }) => (outcome.kind === 'fatal' ? undefined : check(false)),
    },
    close() {
      if (closed) return;
      closed = true;
      failure ??= new Error(`the audit log ${file} is closed`);
      log.close();
    },
  };
}

/** Each of them is told again as a whole. */
const LEFT_OUT: ReadonlySet<RuntimeEvent['type']> = new Set(['message.delta', 'reasoning.delta', 'output.delta']);

function checkPlace({ path: file, untrusted, realPath }: AuditLogOptions): void {
  const real = realPath(file);
  const open = untrusted.find((folder) => isInside(realPath(folder), real));
  if (open === undefined) return;
  throw new ConfigError(
    `the audit log cannot be ${file}: commands may write to ${open}, so it would prove nothing. Set audit_log_path to a file elsewhere.`,
  );
}

interface Log {
  append(line: string): void;
  /** Throws when it is no longer the file that was written. */
  check(): void;
  /** Resolves once all of it is on the disk. */
  sync(): Promise<void>;
  close(): void;
}

/** Never through a link, and never waiting for whoever reads a pipe. */
const FLAGS = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

function openLog(file: AbsolutePath): Log {
  const descriptor = openFile(file);
  // A line that a crash has cut off must not take the next one with it.
  let torn = !endsLine(descriptor);
  let size = fstatSync(descriptor).size;
  /** Whoever else writes to it can only make it longer. */
  const checkSize = (): void => {
    if (fstatSync(descriptor).size < size) throw new Error('it was made shorter');
  };
  return {
    append(line) {
      checkSize();
      writeAll(descriptor, Buffer.from(`${torn ? '\n' : ''}${line}\n`));
      torn = false;
      size = fstatSync(descriptor).size;
    },
    check() {
      const here = fstatSync(descriptor);
      const there = statSync(file, { throwIfNoEntry: false });
      if (there?.ino !== here.ino || there.dev !== here.dev) throw new Error('it was moved or removed');
      checkSize();
    },
    sync: () => flush(descriptor),
    close: () => closeSync(descriptor),
  };
}

const flush = promisify(fdatasync);

function openFile(file: AbsolutePath): number {
  try {
    makeFolder(path.dirname(file));
    const descriptor = openSync(file, FLAGS, 0o600);
    if (fstatSync(descriptor).isFile()) return descriptor;
    closeSync(descriptor);
  } catch (error) {
    const why = errorCode(error) === 'ELOOP' ? 'it is a link' : messageOf(error);
    throw new ConfigError(`the audit log ${file} cannot be opened: ${why}. Set audit_log_path to a file that can be.`, {
      cause: error,
    });
  }
  throw new ConfigError(`the audit log ${file} is not a regular file. Set audit_log_path to one.`);
}

function endsLine(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  const last = Buffer.alloc(1);
  return size === 0 || readSync(descriptor, last, 0, 1, size - 1) === 0 || last[0] === NEWLINE;
}

const NEWLINE = 0x0a;

/** In one piece, so that lines of several programs do not mix; more only where the disk took less. */
function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
}
