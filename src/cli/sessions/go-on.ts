/** Goes on with a session that was kept: with what the user says, or with the turn in which it was cut off. */
import path from 'node:path';

import type { SessionLine, SessionStore, UserInput } from '../../index.js';
import { execSettings } from '../exec/exec-settings.js';
import type { ExecFlags } from '../exec/flags.js';
import { beginningOf, openSession } from '../exec/keep-session.js';
import { pipedPrompt, readPrompt } from '../exec/read-prompt.js';
import { withImages } from '../exec/read-words.js';
import { pastOf } from '../exec/restore.js';
import { runTurn } from '../exec/run-turn.js';
import type { TurnSetup } from '../exec/run-turn.js';
import { note } from '../say.js';
import { UsageError } from '../usage-error.js';
import { sessionFolder } from './session-folder.js';

export type GoOn = {
  readonly store: SessionStore;
  readonly id: string;
  readonly prompt: string | undefined;
  readonly flags: ExecFlags;
  /** Whether the person at the terminal is asked what has to be asked. */
  readonly asks: boolean;
};

/** Resolves to the exit code. */
export async function goOn({ store, id, prompt, flags, asks }: GoOn): Promise<number> {
  const kept = await openSession(store, id, flags);
  try {
    const cwd = folderOf(kept.past, flags);
    const past = pastOf(kept.past);
    const settings = await execSettings(cwd, flags, { asks, ...(past && { past }) });
    return await runTurn(flags, { cwd, settings, kept, words: (session) => wordsFor(session, prompt, flags) });
  } finally {
    kept.log.close();
  }
}

function folderOf(past: readonly SessionLine[], { cd }: ExecFlags): string {
  const cwd = sessionFolder(beginningOf(past).cwd, cd);
  if (cd === undefined && cwd !== process.cwd()) note(`going on in ${cwd}, the folder of the session`);
  return path.resolve(cwd);
}

type Session = Parameters<TurnSetup['words']>[0];

async function wordsFor(
  { id, unfinished }: Session,
  prompt: string | undefined,
  flags: ExecFlags,
): Promise<UserInput | undefined> {
  if (prompt !== undefined || flags.image.length > 0) return withImages(flags, () => readPrompt(prompt));
  const piped = await pipedPrompt();
  if (piped !== undefined) return piped;
  if (!unfinished) {
    throw new UsageError(`the last turn of session ${id} is over. Say what comes next: tenon resume ${id} 'PROMPT'`);
  }
  // It may not be cut off at all, and whoever has it would do the same once more.
  if (flags.ephemeral) throw new UsageError(NOT_ON_RECORD);
  note('going on with the turn that was cut off');
  return undefined;
}

const NOT_ON_RECORD =
  'with --ephemeral a turn that was cut off cannot go on: what it does would not be on record, and be done again. Say what comes next, or leave out --ephemeral';
