/** The recording that is meant: a file, or a session that was kept. */
import { statSync } from 'node:fs';

import { defaultHome, openSessions, readRecording } from '../../index.js';
import type { SessionLine } from '../../index.js';

export type Recording = {
  readonly lines: readonly SessionLine[];
  /** Whether it was kept here; a file may be anybody's. */
  readonly isOurs: boolean;
};

/** Throws a `ConfigError` when there is none, or when it cannot be read. */
export async function recordedLines(named: string): Promise<Recording> {
  const isFile = statSync(named, { throwIfNoEntry: false })?.isFile() ?? /[/\\]|\.jsonl$/.test(named);
  if (isFile) return { lines: readRecording(named), isOurs: false };
  const store = openSessions({ home: defaultHome() });
  return { lines: await store.read(await store.find(named)), isOurs: true };
}
