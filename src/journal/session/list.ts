/** All kept sessions, the last used first. Whatever else lies in their folder, or is damaged, is passed over. */
import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';

import { ConfigError, messageOf } from '../../core/errors.js';
import { errorCode } from '../../core/file-problem.js';
import type { SessionSummary } from '../../core/session-log.js';
import type { SessionFilter } from '../../core/session-store.js';
import { readSessionBeginning, readSessionFile } from './file.js';
import { sessionFile, sessionIdOf } from './names.js';
import { summarize } from './summary.js';
import { readBeginning } from './text.js';

export async function listSessions(folder: string, filter: SessionFilter = {}): Promise<readonly SessionSummary[]> {
  const found: SessionSummary[] = [];
  for (const session of sessionsIn(folder)) {
    if (found.length >= (filter.limit ?? Infinity)) break;
    if (!isInTime(session.usedAt, filter)) continue;
    const summary = summaryIfAny(folder, session.id);
    if (summary && (filter.cwd === undefined || summary.cwd === filter.cwd)) found.push(summary);
    // They may be many and long.
    await breathe();
  }
  return found;
}

/** The id of the last used one, of this folder or of any. Only beginnings are read: a summary is a look at the whole. */
export function latestSession(folder: string, cwd?: string): string | undefined {
  return sessionsIn(folder).find(({ id }) => belongsTo(cwd, folder, id))?.id;
}

function belongsTo(cwd: string | undefined, folder: string, id: string): boolean {
  try {
    const beginning = readBeginning(readSessionBeginning(sessionFile(folder, id), id));
    return cwd === undefined || beginning.cwd === cwd;
  } catch {
    // It was removed meanwhile, or is nothing that we can read.
    return false;
  }
}

export function summaryOf(folder: string, id: string): SessionSummary {
  return summarize(readSessionFile(sessionFile(folder, id), id));
}

export type ListedSession = { readonly id: string; readonly usedAt: Date };

/** By their names alone. */
export function sessionsIn(folder: string): readonly ListedSession[] {
  return namesIn(folder)
    .flatMap((name) => listed(folder, name))
    .toSorted((one, other) => other.usedAt.getTime() - one.usedAt.getTime());
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw new ConfigError(`the sessions in ${folder} cannot be listed: ${messageOf(error)}`, { cause: error });
  }
}

function listed(folder: string, name: string): readonly ListedSession[] {
  const id = sessionIdOf(name);
  const stats = id === undefined ? undefined : lstatSync(path.join(folder, name), { throwIfNoEntry: false });
  return id !== undefined && stats?.isFile() ? [{ id, usedAt: stats.mtime }] : [];
}

function isInTime(usedAt: Date, { since, until }: SessionFilter): boolean {
  return (since === undefined || usedAt >= since) && (until === undefined || usedAt < until);
}

function summaryIfAny(folder: string, id: string): SessionSummary | undefined {
  try {
    return summaryOf(folder, id);
  } catch {
    // It was removed meanwhile, or is nothing that we can read.
    return undefined;
  }
}
