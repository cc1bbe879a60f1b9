/** Sessions as a list for people: one line each, whatever they are called. */
import type { SessionSummary } from '../../index.js';
import { textTable } from '../text-table.js';
import { visible } from '../visible.js';
import { localTime } from './times.js';

const COLUMNS = ['ID', 'LAST USED', 'TURNS', 'STATUS', 'MODEL', 'SESSION'] as const;

export type TableOptions = {
  /** Whether each can be chosen by a number. */
  readonly numbered?: boolean;
  /** Whether each says which folder it belongs to. */
  readonly folders?: boolean;
};

export function sessionTable(sessions: readonly SessionSummary[], options: TableOptions = {}): string {
  const ids = shortIds(sessions.map(({ id }) => id));
  const rows = [COLUMNS, ...sessions.map((session, index) => row(session, ids[index] ?? session.id, options))];
  const numbers = rows.map((_, index) => (index === 0 ? '' : String(index)));
  return textTable(options.numbered ? rows.map((cells, index) => [numbers[index] ?? '', ...cells]) : rows);
}

function row(session: SessionSummary, id: string, { folders = false }: TableOptions): readonly string[] {
  const { usedAt, turns, status, model, waitsFor, name, preview, cwd } = session;
  const title = name === undefined ? preview : `${name}: ${preview}`;
  const cells = [
    id,
    localTime(usedAt),
    String(turns),
    waitsFor === undefined ? status : 'asking',
    model,
    folders ? `${title}  (${cwd})` : title,
  ];
  return cells.map(inLine);
}

function inLine(text: string): string {
  return visible(text.replaceAll('\n', ' ').replaceAll('\t', ' '));
}

/** Ids that were made of a time begin with it, to the millisecond. */
const BY_TIME = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-/;
const TIME_LENGTH = 13;

/** As short as they can be told apart. What somebody has chosen as an id is left as it is. */
export function shortIds(ids: readonly string[]): readonly string[] {
  return ids.map((id) => {
    if (!BY_TIME.test(id)) return id;
    let length = TIME_LENGTH;
    while (length < id.length && ids.some((other) => other !== id && other.startsWith(id.slice(0, length))))
      length += 1;
    return id.slice(0, length);
  });
}
