/** The log of a new session. Its file is made with the first line: a run that fails before it says anything leaves none. */
import { accessSync, closeSync, constants, existsSync, fstatSync, openSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';

import { ConfigError, messageOf } from '../../core/errors.js';
import { errorCode } from '../../core/file-problem.js';
import { SESSION_VERSION } from '../../core/session-log.js';
import type { SessionLog } from '../../core/session-log.js';
import type { SessionStart } from '../../core/session-store.js';
import { syncFolder } from '../../store/write-through.js';
import { createAppender } from './appender.js';
import type { Appender } from './appender.js';
import { claimNewSession } from './claim.js';

const FOR_ADDING = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;

/** In the folder of all sessions, which is made for the user alone. */
export function createSessionLog(file: string, start: SessionStart): SessionLog {
  if (existsSync(file)) throw sessionExists(start.id);
  return lazyLog(file, start, () => {
    const release = claimNewSession(path.dirname(file), start.id);
    try {
      // Never a file or link that somebody put there.
      const descriptor = openSync(file, FOR_ADDING | constants.O_EXCL, 0o600);
      const appender = beginOrRemove(file, descriptor, start);
      return { ...appender, close: () => (appender.close(), release()) };
    } catch (error) {
      release();
      throw errorCode(error) === 'EEXIST' ? sessionExists(start.id) : error;
    }
  });
}

export function sessionExists(id: string): ConfigError {
  return new ConfigError(`there is a session ${id} already; give the new one another id`);
}

/** The same lines in any file, which must be new or hold nothing: throws at once when it cannot be written. */
export function createRecording(file: string, start: SessionStart): SessionLog {
  checkRecordable(file);
  return lazyLog(file, start, () => {
    const descriptor = openSync(file, FOR_ADDING | constants.O_NONBLOCK, 0o600);
    if (fstatSync(descriptor).size === 0) return begin(file, descriptor, start);
    closeSync(descriptor);
    throw notEmpty(file);
  });
}

function checkRecordable(file: string): void {
  try {
    const there = statSync(file, { throwIfNoEntry: false });
    if (there && (!there.isFile() || there.size > 0)) throw notEmpty(file);
    accessSync(there ? file : `${path.dirname(file)}/`, constants.W_OK);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw notKept(file, new Error(`there is no folder ${path.dirname(file)}`));
    throw notKept(file, error);
  }
}

function notEmpty(file: string): ConfigError {
  return new ConfigError(`there is something in ${file} already; record to a new file`);
}

function notKept(file: string, error: unknown): ConfigError {
  if (error instanceof ConfigError) return error;
  return new ConfigError(`no session can be kept in ${file}: ${messageOf(error)}`, { cause: error });
}

function lazyLog(file: string, { id }: SessionStart, make: () => Appender): SessionLog {
  let appender: Appender | undefined;
  let failure: Error | undefined;

  function made(): Appender {
    try {
      return make();
    } catch (error) {
      failure = notKept(file, error);
      throw failure;
    }
  }

  return {
    id,
    append(line) {
      if (failure) throw failure;
      appender ??= made();
      appender.append(line);
    },
    durable: async () => appender?.durable(),
    close() {
      failure ??= new Error(`the session in ${file} is closed`);
      appender?.close();
    },
  };
}

/** An empty file is nobody's session, and would stay. */
function beginOrRemove(file: string, descriptor: number, start: SessionStart): Appender {
  try {
    return begin(file, descriptor, start);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}

function begin(file: string, descriptor: number, start: SessionStart): Appender {
  const named = syncFolder(path.dirname(file));
  const appender = createAppender({ file, descriptor, size: 0, named });
  try {
    const { id, cwd, version } = start;
    appender.append({ type: 'session.created', v: SESSION_VERSION, id, at: new Date().toISOString(), cwd, version });
    return appender;
  } catch (error) {
    appender.close();
    throw error;
  }
}
