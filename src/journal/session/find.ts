/** Which session a user means who says its id, its name, or how its id begins. */
import { ConfigError } from '../../core/errors.js';
import { noSession } from './file.js';
import { listSessions, sessionsIn } from './list.js';
import type { ListedSession } from './list.js';

/** Fewer characters are too easily those of another one tomorrow. */
const SHORTEST_BEGINNING = 4;
const MOST_SHOWN = 10;

export async function findSession(folder: string, text: string): Promise<string> {
  const sessions = sessionsIn(folder);
  if (sessions.some(({ id }) => id === text)) return text;
  const named = (await listSessions(folder)).filter(({ name }) => name === text).map(({ id }) => id);
  const beginning =
    text.length < SHORTEST_BEGINNING ? [] : sessions.map(({ id }) => id).filter((id) => id.startsWith(text));
  const [found, ...others] = named.length > 0 ? named : beginning;
  if (found === undefined) throw noSession(JSON.stringify(text));
  if (others.length === 0) return found;
  throw ambiguous(
    text,
    sessions.filter(({ id }) => id === found || others.includes(id)),
  );
}

function ambiguous(text: string, sessions: readonly ListedSession[]): ConfigError {
  const shown = sessions.slice(0, MOST_SHOWN).map(({ id, usedAt }) => `${id} (last used ${usedAt.toISOString()})`);
  const more = sessions.length > MOST_SHOWN ? [`${sessions.length - MOST_SHOWN} more`] : [];
  return new ConfigError(
    `${JSON.stringify(text)} may be one of several sessions; say the id of one: ${[...shown, ...more].join(', ')}`,
  );
}
