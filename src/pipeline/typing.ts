/** Typing is judged like any act: the judge learns where the text would go, and nothing but what it saw can be typed. */
import type { Effect, Intent } from '../core/effects.js';
import { Rejected } from '../core/errors.js';
import type { Session, Sessions } from '../core/sessions.js';

/**
 * What the tool said, completed with what only the sessions know. Nobody need be asked about a session that does not
 * exist: nothing can be typed that the intent does not hold.
 */
export function withSessions(intent: Intent, sessions: Sessions): Intent {
  if (!intent.effects.some(({ kind }) => kind === 'type')) return intent;
  const effects = intent.effects.flatMap((effect): Effect[] => {
    if (effect.kind !== 'type') return [effect];
    const info = sessions.find(effect.session)?.info;
    if (info === undefined) return [];
    const { confined, argv: program, cwd, line } = info;
    return [{ ...effect, confined, program, cwd, ...(line !== '' && { line }) }];
  });
  return { ...intent, effects };
}

export function typingOnlyWhat(intent: Intent, sessions: Sessions): Sessions {
  return {
    start: async (start, workspace, signal) => guarded(await sessions.start(start, workspace, signal), intent),
    find(id) {
      const session = sessions.find(id);
      return session && guarded(session, intent);
    },
    list: () => sessions.list(),
    capacity: sessions.capacity,
  };
}

/** Every member is named, so that whoever adds a way to act has to decide here whether it is open to all. */
function guarded(session: Session, { effects }: Intent): Session {
  return {
    get info() {
      return session.info;
    },
    notice: session.notice,
    exclusively: (signal, work) => session.exclusively(signal, work),
    async type(text) {
      const { id, line } = session.info;
      const declared = effects.find(
        (effect) => effect.kind === 'type' && effect.session === id && effect.text === text,
      );
      if (declared?.kind !== 'type') {
        throw new Rejected('policy', 'the call typed something that its intent did not say');
      }
      // It was judged as the rest of another line.
      if ((declared.line ?? '') !== line) {
        throw new Rejected('policy', 'something else was typed into the session meanwhile. Look at it and try again.');
      }
      await session.type(text);
    },
    collect: (options) => session.collect(options),
    resize: (size) => session.resize(size),
    end: () => session.end(),
  };
}
