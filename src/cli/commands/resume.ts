/** `tenon resume` and `tenon exec resume`: a session goes on where it was left. */
import { defaultHome, openSessions } from '../../index.js';
import type { ExecFlags } from '../exec/flags.js';
import { chooseSession } from '../sessions/choose-session.js';
import { goOn } from '../sessions/go-on.js';
import { sessionAndPrompt } from '../sessions/session-and-prompt.js';

export type ResumeFlags = ExecFlags & { readonly last?: boolean; readonly all?: boolean };

/** `asks`: there may be a person at the terminal. */
export async function resumeSession(
  words: readonly (string | undefined)[],
  flags: ResumeFlags,
  asks: boolean,
): Promise<number> {
  const store = openSessions({ home: defaultHome() });
  const { prompt, ...named } = sessionAndPrompt(words, flags);
  const id = await chooseSession(store, { ...flags, ...named, asks });
  return goOn({ store, id, prompt, flags, asks });
}
