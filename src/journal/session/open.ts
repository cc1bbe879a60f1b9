/** Sessions that are there: opened for one process and put right after a crash, read by anybody, removed. */
import { closeSync, fstatSync, ftruncateSync, unlinkSync, writeSync } from 'node:fs';

import { ConfigError, messageOf } from '../../core/errors.js';
import type { KeptSession, SessionLine } from '../../core/session-log.js';
import { createAppender } from './appender.js';
import type { Release } from './claim.js';
import { allBytes, noSession, openSessionFile, readSessionFile } from './file.js';
import { lockSession } from './lock.js';
import { sessionFile } from './names.js';
import { readWhole } from './text.js';

export async function openSession(folder: string, id: string): Promise<KeptSession> {
  const { file, descriptor, release } = await hold(folder, id, 'add');
  try {
    const bytes = allBytes(descriptor, file);
    const lines = readWhole({ id, file, bytes });
    const size = repair(descriptor, bytes.length, lines.at(-1)?.end ?? 0);
    const appender = createAppender({ file, descriptor, size });
    const log = { id, ...appender, close: () => (appender.close(), release()) };
    return { log, past: lines.flatMap(({ line }) => line ?? []) };
  } catch (error) {
    closeSync(descriptor);
    release();
    throw asConfigError(error, id, 'opened');
  }
}

/** As it is just now, whoever has it. */
export function readSession(folder: string, id: string): readonly SessionLine[] {
  return readWhole(readSessionFile(sessionFile(folder, id), id)).flatMap(({ line }) => line ?? []);
}

export async function removeSession(folder: string, id: string): Promise<void> {
  const { file, descriptor, release } = await hold(folder, id, 'read');
  try {
    unlinkSync(file);
  } catch (error) {
    throw asConfigError(error, id, 'removed');
  } finally {
    closeSync(descriptor);
    release();
  }
}

type Held = { readonly file: string; readonly descriptor: number; readonly release: Release };

async function hold(folder: string, id: string, access: 'read' | 'add'): Promise<Held> {
  const file = sessionFile(folder, id);
  // First of all: who has made the file put up a claim before, so that no look around can miss it.
  const descriptor = openSessionFile(file, id, access);
  try {
    const release = await lockSession(folder, id);
    // Somebody may have removed it meanwhile.
    if (fstatSync(descriptor).nlink > 0) return { file, descriptor, release };
    release();
    throw noSession(id);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** `end` is that of the last line that can be read: it lacks its line feed, or half of another follows. Returns the size. */
function repair(descriptor: number, size: number, end: number): number {
  if (end === size) writeSync(descriptor, '\n');
  else if (end + 1 < size) ftruncateSync(descriptor, end + 1);
  return end + 1;
}

function asConfigError(error: unknown, id: string, done: string): ConfigError {
  if (error instanceof ConfigError) return error;
  return new ConfigError(`session ${id} cannot be ${done}: ${messageOf(error)}`, { cause: error });
}
