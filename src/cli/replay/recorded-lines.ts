/** The recording that is meant: a file, or a session that was kept. */
import { existsSync } from 'node:fs';

import { defaultHome, openSessions, readRecording } from '../../index.js';
import type { SessionLine } from '../../index.js';

/** Throws a `ConfigError` when there is none, or when it cannot be read. */
export async function recordedLines(named: string): Promise<readonly SessionLine[]> {
  if (existsSync(named) || /[/\\]|\.jsonl$/.test(named)) return readRecording(named);
  const store = openSessions({ home: defaultHome() });
  return store.read(await store.find(named));
}
