/** `tenon sessions rm`: sessions that are named, or all that were not used for long. */
import { defaultHome, openSessions } from '../../index.js';
import type { SessionStore, SessionSummary } from '../../index.js';
import { askLine, isAtTerminal } from '../ask-line.js';
import { EXIT } from '../exit-codes.js';
import { note, say } from '../say.js';
import { folderToLookFor } from '../sessions/choose-session.js';
import { readTime } from '../sessions/times.js';
import { UsageError } from '../usage-error.js';

export type RemoveFlags = {
  readonly olderThan?: string;
  readonly all?: boolean;
  readonly cd?: string;
  readonly yes?: boolean;
};

export async function removeSessions(named: readonly string[], flags: RemoveFlags): Promise<number> {
  const { olderThan } = flags;
  if ((olderThan === undefined) === (named.length === 0))
    throw new UsageError('name the sessions to remove, or pass --older-than');
  const store = openSessions({ home: defaultHome() });
  if (olderThan === undefined) return remove(store, await allFound(store, named));
  const cwd = folderToLookFor(flags);
  const old = await store.list({ until: readTime(olderThan, '--older-than'), ...(cwd !== undefined && { cwd }) });
  if (old.length === 0) say('No session is that old.');
  else if (await isWanted(old.length, flags)) return remove(store, idsOf(old));
  else say('Nothing was removed.');
  return EXIT.success;
}

function idsOf(sessions: readonly SessionSummary[]): readonly string[] {
  return sessions.map(({ id }) => id);
}

/** All of them are there, or none is removed. */
async function allFound(store: SessionStore, named: readonly string[]): Promise<readonly string[]> {
  const ids = new Set<string>();
  for (const each of named) ids.add(await store.find(each));
  return [...ids];
}

async function isWanted(amount: number, { yes = false }: RemoveFlags): Promise<boolean> {
  if (yes) return true;
  const what = amount === 1 ? '1 session' : `${amount} sessions`;
  if (!isAtTerminal()) throw new UsageError(`${what} would be removed: pass --yes to do so`);
  return /^\s*y(?:es)?\s*$/i.test(await askLine(`Remove ${what}? [y]es, [n]o: `));
}

/** One that cannot be removed, for somebody uses it, does not keep the others. */
async function remove(store: SessionStore, ids: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.success;
  for (const id of ids) {
    try {
      await store.remove(id);
      say(`removed ${id}`);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      note(error.message);
      exitCode = EXIT.failed;
    }
  }
  return exitCode;
}
