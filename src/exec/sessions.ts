/** The sessions of one runtime: at most 64, each known until its end has been told once. */
import { sessionId } from '../core/ids.js';
import type { SessionId } from '../core/ids.js';
import type { Session, Sessions } from '../core/sessions.js';
import { openSession } from './session.js';
import type { OpenSession, SessionsOptions } from './session.js';

const MOST_SESSIONS = 64;
/** These many of the most recently used are never given up for a new one. */
const SPARED = 8;

const FIRST_ID = 1_000;
const LAST_ID = 99_999;

export interface SessionStore extends Sessions {
  /** Ends all of them. */
  close(): Promise<void>;
}

export function createSessions(options: SessionsOptions): SessionStore {
  /** In order of use, the least recent first. */
  const open = new Map<SessionId, OpenSession>();
  const reserved = new Set<SessionId>();

  function reserve(): SessionId {
    for (;;) {
      const id = sessionId(FIRST_ID + Math.floor(Math.random() * (LAST_ID - FIRST_ID + 1)));
      if (open.has(id) || reserved.has(id)) continue;
      reserved.add(id);
      return id;
    }
  }

  function touch(id: SessionId): void {
    const session = open.get(id);
    if (session === undefined) return;
    open.delete(id);
    open.set(id, session);
  }

  async function makeRoom(): Promise<void> {
    if (open.size < MOST_SESSIONS) return;
    const idle = [...open.values()].slice(0, -SPARED).filter((session) => !session.busy);
    const victim = idle.find((session) => !session.info.running) ?? idle[0];
    await victim?.end();
  }

  return {
    async start(start, workspace): Promise<Session> {
      await makeRoom();
      const id = reserve();
      try {
        const session = await openSession(id, start, workspace, {
          ...options,
          onUse: () => touch(id),
          onForgotten: () => open.delete(id),
        });
        open.set(id, session);
        return session;
      } finally {
        reserved.delete(id);
      }
    },
    find: (id) => open.get(sessionId(id)),
    capacity: MOST_SESSIONS,
    list: () => [...open.values()].map((session) => session.info),
    async close() {
      await Promise.all([...open.values()].map((session) => session.end()));
    },
  };
}
