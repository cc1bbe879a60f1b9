/** All kept sessions of a user. What a new session does not need is loaded by who asks for it. */
import { ConfigError } from '../../core/errors.js';
import type { SessionStore } from '../../core/session-store.js';
import { sessionFile, sessionsFolder } from './names.js';
import { createSessionLog } from './log.js';

export function openSessions({ home }: { readonly home: string }): SessionStore {
  const folder = sessionsFolder(home);
  const fileOf = (id: string): string => sessionFile(folder, id);
  const listing = () => import('./list.js');
  const opening = () => import('./open.js');
  const open: SessionStore['open'] = async (id) => (await opening()).openSession(folder, id);

  return {
    fileOf,
    create: (start) => createSessionLog(fileOf(start.id), start),
    open,
    read: async (id) => (await opening()).readSession(folder, id),
    find: async (text) => (await import('./find.js')).findSession(folder, text),
    list: async (filter) => (await listing()).listSessions(folder, filter),
    latest: async (cwd) => (await listing()).latestSession(folder, cwd),
    summary: async (id) => (await listing()).summaryOf(folder, id),
    fork: async (id, options) => (await import('./fork.js')).forkSession(folder, id, options),
    async rename(id, name) {
      checkName(name);
      const { log } = await open(id);
      try {
        log.append({ type: 'session.named', at: new Date().toISOString(), name });
        await log.durable();
      } finally {
        log.close();
      }
    },
    remove: async (id) => (await opening()).removeSession(folder, id),
  };
}

function checkName(name: string): void {
  if (name.trim() === '' || /\p{Cc}/u.test(name)) {
    throw new ConfigError('the name of a session is one line that says something; give it another');
  }
}
