/** The lines of a session from any file, whoever wrote it. */
import { readFileSync } from 'node:fs';

import { ConfigError, messageOf } from '../core/errors.js';
import { errorCode } from '../core/file-problem.js';
import type { SessionLine } from '../core/session-log.js';
import { readSessionText } from '../journal/session/text.js';

/** Half a line at the end is left out: a crash may have made it. Throws a `ConfigError` that names what is wrong. */
export function readRecording(file: string): readonly SessionLine[] {
  const { lines, damage } = readSessionText(bytesOf(file));
  if (damage) throw new ConfigError(`${file}, line ${damage.line}: ${damage.why}`);
  if (lines.length === 0) throw new ConfigError(`${file} holds no session`);
  return lines.flatMap(({ line }) => line ?? []);
}

function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const why = errorCode(error) === 'ENOENT' ? 'there is no such file' : messageOf(error);
    throw new ConfigError(`the recording ${file} cannot be read: ${why}`, { cause: error });
  }
}
