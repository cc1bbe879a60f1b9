/** Where the conversation of a run is written down: among the kept sessions, in a file of the user's, in both, or nowhere. */
import { realpathSync } from 'node:fs';
import path from 'node:path';

import { ConfigError, createRecording, defaultHome, newSessionId, openSessions } from '../../index.js';
import type { KeptSession, LineOf, SessionLine, SessionLog, SessionStore } from '../../index.js';
import type { ExecFlags } from './flags.js';

declare const TENON_VERSION: string;

type KeepFlags = Pick<ExecFlags, 'ephemeral' | 'record'>;

/** Undefined when nothing is to be kept. Throws a `ConfigError` when it could not be. */
export function newSession(cwd: string, { ephemeral, record }: KeepFlags): KeptSession | undefined {
  const start = { id: newSessionId(), cwd: realpathSync(cwd), version: TENON_VERSION };
  const recording = record === undefined ? undefined : createRecording(path.resolve(record), start);
  const log = ephemeral ? undefined : withAdvice(openSessions({ home: defaultHome() }).create(start));
  const logs = [log, recording].filter((each) => each !== undefined);
  return logs.length === 0 ? undefined : { log: inAll(start.id, logs), past: [] };
}

/** Where nothing can be kept, something can still be done. */
function withAdvice(log: SessionLog): SessionLog {
  return {
    ...log,
    append(line) {
      try {
        log.append(line);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        throw new ConfigError(`${error.message}. To keep nothing, pass --ephemeral`, { cause: error });
      }
    },
  };
}

/** With `ephemeral` it goes on without a word in its file. */
export async function openSession(
  store: SessionStore,
  id: string,
  { ephemeral, record }: KeepFlags,
): Promise<KeptSession> {
  const { log, past } = ephemeral ? { log: undefined, past: await store.read(id) } : await store.open(id);
  try {
    const recording = record === undefined ? undefined : recordingOf(path.resolve(record), past);
    const logs = [log, recording].filter((each) => each !== undefined);
    return { log: inAll(id, logs), past };
  } catch (error) {
    log?.close();
    throw error;
  }
}

/** A recording that began in the middle could not be understood, so what was said before comes first. */
function recordingOf(file: string, past: readonly SessionLine[]): SessionLog {
  const { id, cwd, version } = beginningOf(past);
  const recording = createRecording(file, { id, cwd, version });
  const before = past.slice(1);
  return {
    ...recording,
    append(line) {
      for (const each of [...before.splice(0), line]) recording.append(each);
    },
  };
}

/** The first line of every session. */
export function beginningOf([created]: readonly SessionLine[]): LineOf<'session.created'> {
  if (created?.type !== 'session.created') throw new Error('a session without a beginning was opened');
  return created;
}

function inAll(id: string, logs: readonly SessionLog[]): SessionLog {
  return {
    id,
    append(line) {
      for (const log of logs) log.append(line);
    },
    async durable() {
      await Promise.all(logs.map((log) => log.durable()));
    },
    close() {
      for (const log of logs) log.close();
    },
  };
}
