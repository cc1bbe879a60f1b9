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
  /** Those that go on after their call has been answered, in order of use, the least recent first. */
  const open = new Map<SessionId, OpenSession>();
  const ending = new Set<Promise<void>>();
  /** Those that nobody knows of yet. */
  const starting = new Map<SessionId, OpenSession | undefined>();

  function reserve(): SessionId {
    for (;;) {
      const id = sessionId(FIRST_ID + Math.floor(Math.random() * (LAST_ID - FIRST_ID + 1)));
      if (open.has(id) || starting.has(id)) continue;
      starting.set(id, undefined);
      return id;
    }
  }

  function touch(id: SessionId): void {
    const session = open.get(id);
    if (session === undefined) return;
    open.delete(id);
    open.set(id, session);
  }

  function keep(id: SessionId): void {
    const session = starting.get(id);
    starting.delete(id);
    if (session === undefined) return;
    open.set(id, session);
    while (open.size > MOST_SESSIONS && giveUpOne());
  }

  /** False when all that could go are in use. */
  function giveUpOne(): boolean {
    const idle = [...open.values()].slice(0, -SPARED).filter((session) => !session.busy);
    const victim = idle.find((session) => !session.info.running) ?? idle[0];
    if (victim === undefined) return false;
    // It is forgotten at once; only the end of the runtime waits for its own.
    const over = victim.end().finally(() => ending.delete(over));
    ending.add(over);
    return true;
  }

  function forget(id: SessionId): void {
    open.delete(id);
    starting.delete(id);
  }

  return {
    async start(start, workspace, signal): Promise<Session> {
      const id = reserve();
      try {
        const session = await openSession(id, start, workspace, {
          ...options,
          giveUp: signal,
          onKept: () => keep(id),
          onUse: () => touch(id),
          onForgotten: () => forget(id),
        });
        starting.set(id, session);
        return session;
      } catch (error) {
        forget(id);
        throw error;
      }
    },
    find: (id) => open.get(sessionId(id)),
    capacity: MOST_SESSIONS,
    list: () => [...open.values()].map((session) => session.info),
    async close() {
      const all = [...open.values(), ...starting.values()];
      await Promise.all([...ending, ...all.map(async (session) => session?.end())]);
    },
  };
}
