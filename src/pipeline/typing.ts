/** Typing is judged like any act: the judge learns where the text would go, and nothing but what it saw can be typed. */
import type { Intent } from '../core/effects.js';
import { Rejected } from '../core/errors.js';
import type { Session, Sessions } from '../core/sessions.js';

/** What the tool said, completed with what only the sessions know. */
export function withSessions(intent: Intent, sessions: Sessions): Intent {
  if (!intent.effects.some(({ kind }) => kind === 'type')) return intent;
  const effects = intent.effects.map((effect) => {
    const info = effect.kind === 'type' ? sessions.find(effect.session)?.info : undefined;
    return info ? { ...effect, confined: info.confined } : effect;
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
      const { id } = session.info;
      const declared = effects.some(
        (effect) => effect.kind === 'type' && effect.session === id && effect.text === text,
      );
      if (!declared) throw new Rejected('policy', 'the call typed something that its intent did not say');
      await session.type(text);
    },
    collect: (options) => session.collect(options),
    resize: (size) => session.resize(size),
    end: () => session.end(),
  };
}
