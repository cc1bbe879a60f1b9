/** Sessions to look at: a home of the test's own, and lines that say just enough. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';

import type { SessionLine } from '../../../src/core/session-log.js';
import type { SessionStore } from '../../../src/core/session-store.js';
import { openSessions } from '../../../src/journal/session/store.js';
import { tempFolder } from '../../support/temp-folder.js';

/** That each of them is refused, and with these words. */
export async function allRefused(tries: readonly Promise<unknown>[], why: string): Promise<void> {
  const refusals = await Promise.all(tries.map((each) => each.then(() => 'done', asTold)));
  expect(refusals).toEqual(refusals.map(() => expect.stringContaining(`ConfigError: `)));
  expect(refusals).toEqual(refusals.map(() => expect.stringContaining(why)));
}

const asTold = (error: Error): string => `${error.name}: ${error.message}`;

export const AT = '2026-01-31T12:00:00.000Z';

export type Sessions = SessionStore & {
  readonly home: string;
  readonly folder: string;
  /** Made and closed, with these lines after the first. */
  keep(id: string, lines?: readonly SessionLine[], cwd?: string): void;
  textOf(id: string): string;
};

export function sessions(home = tempFolder()): Sessions {
  const store = openSessions({ home });
  return {
    ...store,
    home,
    folder: path.join(home, 'sessions'),
    keep(id, lines = [chosen()], cwd = '/project') {
      const log = store.create({ id, cwd, version: '1.2.3' });
      for (const line of lines) log.append(line);
      log.close();
    },
    textOf: (id) => readFileSync(store.fileOf(id), 'utf8'),
  };
}

/** A whole turn. */
export function turn(name: string, said = `say ${name}`): readonly SessionLine[] {
  return [started(name), userSays(said), finished(name)];
}

export const chosen = (model = 'm'): SessionLine => ({ type: 'settings.chosen', at: AT, model, provider: 'p' });

export const started = (name: string): SessionLine => ({ type: 'turn.started', at: AT, turn: name, wire: 'responses' });

export const finished = (name: string): SessionLine => ({
  type: 'turn.finished',
  at: AT,
  turn: name,
  status: 'completed',
});

export const userSays = (text: string): SessionLine => ({
  type: 'entry.said',
  origin: 'user',
  entry: { kind: 'input', role: 'user', content: [{ kind: 'text', text }] },
});

export const asked = (callId: string, id: string, title = `may ${callId}?`): SessionLine => ({
  type: 'question.asked',
  at: AT,
  callId,
  id,
  title,
  reason: 'it was not asked before',
});

export const decided = (callId: string, id: string): SessionLine => ({
  type: 'question.decided',
  at: AT,
  callId,
  id,
  decision: 'once',
});
