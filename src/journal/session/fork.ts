/** A session that begins as another one. It is there as a whole or not at all, and the other may be in use meanwhile. */
import { closeSync, openSync, rmSync } from 'node:fs';

import { ConfigError, messageOf } from '../../core/errors.js';
import { errorCode } from '../../core/file-problem.js';
import type { SessionLine } from '../../core/session-log.js';
import type { SessionStore } from '../../core/session-store.js';
import { replaceFile } from '../../store/replace-file.js';
import { readSessionFile } from './file.js';
import { sessionExists } from './log.js';
import { sessionFile } from './names.js';
import { readBeginning, readSessionText, readWhole, turnsIn } from './text.js';
import type { PlacedLine, SessionBytes } from './text.js';

export type ForkOptions = Parameters<SessionStore['fork']>[1];

export async function forkSession(folder: string, id: string, options: ForkOptions): Promise<void> {
  const target = sessionFile(folder, options.newId);
  const session = readSessionFile(sessionFile(folder, id), id);
  const lines = options.turns === undefined ? readWhole(session) : firstTurns(session, options.turns);
  await putInPlace(target, options.newId, copyOf(session, lines, options));
}

/** Up to the end of the last of them; for none, what was there before the first. Damage further on does not matter. */
function firstTurns({ id, bytes }: SessionBytes, turns: number): readonly PlacedLine[] {
  const { lines } = readSessionText(bytes);
  const has = turnsIn(lines);
  if (!Number.isInteger(turns) || turns < 0 || turns > has) {
    throw new ConfigError(`session ${id} cannot be copied up to turn ${turns}: ${has} of its turns have ended`);
  }
  const whereIs = (type: SessionLine['type']): readonly number[] =>
    lines.flatMap(({ line }, at) => (line?.type === type ? at : []));
  if (turns === 0) return lines.slice(0, whereIs('turn.started')[0]);
  return lines.slice(0, (whereIs('turn.finished')[turns - 1] ?? 0) + 1);
}

/** The name stays with the session that was given it: two of one name could not be told apart. */
function copyOf(session: SessionBytes, lines: readonly PlacedLine[], { newId, cwd }: ForkOptions): Buffer {
  const before = readBeginning(session);
  const created: SessionLine = {
    ...before,
    id: newId,
    at: new Date().toISOString(),
    cwd: cwd ?? before.cwd,
    forkedFrom: { id: session.id, turns: turnsIn(lines) },
  };
  const feed = Buffer.from('\n');
  const copied = lines
    .slice(1)
    .filter(({ line }) => line?.type !== 'session.named')
    .flatMap(({ start, end }) => [session.bytes.subarray(start, end), feed]);
  return Buffer.concat([Buffer.from(JSON.stringify(created)), feed, ...copied]);
}

async function putInPlace(file: string, id: string, content: Buffer): Promise<void> {
  try {
    // Empty, it is nobody's session, but the name is ours.
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    throw errorCode(error) === 'EEXIST' ? sessionExists(id) : notCopied(file, error);
  }
  try {
    await replaceFile(file, content);
  } catch (error) {
    rmSync(file, { force: true });
    throw notCopied(file, error);
  }
}

function notCopied(file: string, error: unknown): ConfigError {
  return new ConfigError(`the copy ${file} cannot be written: ${messageOf(error)}`, { cause: error });
}
