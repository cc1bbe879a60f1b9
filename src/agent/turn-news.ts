/** What the model is told before a turn beside the user's words: what ended meanwhile, what we noted, what has changed. */
import type { InputEntry } from '../core/model.js';
import type { News } from './conversation-setup.js';
import { developerEntry, programsEnded } from './entries.js';
import type { History } from './history.js';
import type { Keeping } from './keeping.js';
import type { Past } from './past.js';

export interface TurnNews {
  /** To be told before the next turn. */
  note(text: string): void;
  tell(news: News): void;
}

type NewsParts = { readonly history: History; readonly keeping: Keeping };

export function createTurnNews(past: Past, { history, keeping }: NewsParts): TurnNews {
  let { programs } = past;
  let notes: readonly InputEntry[] = [];

  /** Once: whoever opens the session next need not tell of them again. */
  function tellOfPrograms(): void {
    if (programs.length > 0) history.say(programsEnded(programs), 'turn');
    for (const { session } of programs) keeping.append({ type: 'program.ended', session });
    programs = [];
  }

  return {
    note(text) {
      notes = [...notes, developerEntry(text)];
    },
    tell({ entries, snapshot }) {
      tellOfPrograms();
      for (const entry of notes) history.say(entry, 'turn');
      notes = [];
      for (const entry of entries) history.say(entry, 'context');
      // After them: cut off in between, it is told again, and not held for told.
      if (snapshot && entries.length > 0) keeping.append({ type: 'context.told', snapshot });
    },
  };
}
