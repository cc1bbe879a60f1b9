/** Where sessions lie: a file each in one folder, named by their ids and nothing else. */
import path from 'node:path';

import { ConfigError } from '../../core/errors.js';

/** What can be no path, no option, and no other name on any system. */
const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const ENDING = '.jsonl';

export function sessionsFolder(home: string): string {
  return path.join(home, 'sessions');
}

export function sessionFile(folder: string, id: string): string {
  if (!ID.test(id)) {
    throw new ConfigError(
      `${JSON.stringify(id)} cannot be the id of a session: those are letters, digits, '.', '_' and '-', at most 128.`,
    );
  }
  return path.join(folder, `${id}${ENDING}`);
}

/** Undefined for the name of something else. */
export function sessionIdOf(name: string): string | undefined {
  const id = name.slice(0, -ENDING.length);
  return name.endsWith(ENDING) && ID.test(id) ? id : undefined;
}
