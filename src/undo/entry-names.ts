/** What the entries of a log are called: the name says when it was made, how far it got and, until then, whose it is. */
import { createHash, randomBytes } from 'node:crypto';
import path from 'node:path';

/** `pending`: its change may be half made. `cut-short`: it was, and not all could be put back. */
export type EntryStage = 'pending' | 'made' | 'cut-short';

export type ListedEntry = {
  readonly id: string;
  readonly stage: EntryStage;
  readonly file: string;
  /** Whose it is while it is pending. */
  readonly mark?: string;
};

/** Their order is that of time, also where the clock is set back. */
export type EntryIds = {
  readonly next: () => string;
  /** There is one already that must not come later. */
  readonly seen: (id: string) => void;
};

export function entryIds(now: () => number): EntryIds {
  // Several logs of one workspace may be open, in one process or in several.
  const tag = randomBytes(3).toString('hex');
  let [earliest, latest, count] = [0, 0, 0];
  return {
    next() {
      const time = Math.max(earliest, latest, now());
      count = time === latest ? count + 1 : 0;
      latest = time;
      return `${time.toString(36)}-${tag}-${count}`;
    },
    seen(id) {
      const place = placeOf(id);
      if (place.tag !== tag) earliest = Math.max(earliest, place.time + 1);
    },
  };
}

const ENDINGS: Readonly<Record<string, EntryStage>> = { change: 'made', conflict: 'cut-short' };
const NAME = /^(?<id>[0-9a-z]+-[0-9a-f]+-\d+)(?:@(?<mark>.+)\.pending|\.(?<ending>change|conflict))$/;

export function nameOf(id: string, stage: EntryStage, mark: string): string {
  if (stage === 'pending') return `${id}@${mark}.pending`;
  return `${id}.${stage === 'made' ? 'change' : 'conflict'}`;
}

export function listedEntry(folder: string, name: string): readonly ListedEntry[] {
  const { id, mark, ending = '' } = NAME.exec(name)?.groups ?? {};
  if (id === undefined) return [];
  const file = path.join(folder, name);
  return [{ id, stage: ENDINGS[ending] ?? 'pending', file, ...(mark !== undefined && { mark }) }];
}

type Named = Pick<ListedEntry, 'id'>;

/** The oldest first. */
export function byAge(one: Named, other: Named): number {
  const [first, second] = [placeOf(one.id), placeOf(other.id)];
  return (
    first.time - second.time ||
    (first.tag < second.tag ? -1 : Number(first.tag > second.tag)) ||
    first.count - second.count
  );
}

/** One for each thing that is said. */
export function markName(uncovered: string): string {
  return `${createHash('sha256').update(uncovered).digest('hex').slice(0, 16)}${MARK}`;
}

export function isMark(name: string): boolean {
  return name.endsWith(MARK);
}

const MARK = '.uncovered';

function placeOf(id: string): { readonly time: number; readonly tag: string; readonly count: number } {
  const [time = '', tag = '', count = ''] = id.split('-');
  return { time: Number.parseInt(time, 36), tag, count: Number(count) };
}
