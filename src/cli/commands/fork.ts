/** `tenon fork` and `tenon exec fork`: a new session that begins as another one. */
import { realpathSync } from 'node:fs';

import { ConfigError, defaultHome, newSessionId, openSessions } from '../../index.js';
import type { SessionStore } from '../../index.js';
import { wantsJson } from '../exec/flags.js';
import { EXIT } from '../exit-codes.js';
import { note } from '../say.js';
import { chooseSession } from '../sessions/choose-session.js';
import { goOn } from '../sessions/go-on.js';
import { readCount } from '../sessions/read-count.js';
import { sessionAndPrompt } from '../sessions/session-and-prompt.js';
import { sessionFolder } from '../sessions/session-folder.js';
import { UsageError } from '../usage-error.js';
import type { ResumeFlags } from './resume.js';

export type ForkFlags = ResumeFlags & { readonly turns?: string };

/** `asks`: there may be a person at the terminal. */
export async function forkSession(
  words: readonly (string | undefined)[],
  flags: ForkFlags,
  asks: boolean,
): Promise<number> {
  if (flags.ephemeral)
    throw new UsageError('a fork is kept; `tenon exec resume --ephemeral` goes on and keeps nothing');
  const turns = flags.turns === undefined ? undefined : readCount(flags.turns, '--turns');
  const store = openSessions({ home: defaultHome() });
  const { prompt, ...named } = sessionAndPrompt(words, flags);
  const from = await chooseSession(store, { ...flags, ...named, asks });
  const cwd = realpathSync(sessionFolder((await store.summary(from)).cwd, flags.cd));
  const id = newSessionId();
  await store.fork(from, { newId: id, cwd, ...(turns !== undefined && { turns }) });
  if (prompt === undefined) return tell({ id, from }, flags);
  try {
    return await goOn({ store, id, prompt, flags, asks });
  } catch (error) {
    await dropUnused(store, id, error);
    throw error;
  }
}

/** The id alone on standard output, for who wants to use it. */
function tell({ id, from }: { readonly id: string; readonly from: string }, flags: ForkFlags): number {
  process.stdout.write(wantsJson(flags) ? `${JSON.stringify({ thread_id: id, forked_from: from })}\n` : `${id}\n`);
  note(`forked from ${from}; go on with: tenon resume ${id} 'PROMPT'`);
  return EXIT.success;
}

/** What was wrong was told before anything was said in it. */
async function dropUnused(store: SessionStore, id: string, error: unknown): Promise<void> {
  if (error instanceof UsageError || error instanceof ConfigError) await store.remove(id);
}
