/** Which entries somebody means. */
import type { ChangeChoice } from '../core/change-log.js';
import { standing } from './read-log.js';
import type { LoggedEntry } from './read-log.js';

/** The newest first; or why there are none, and what may have been changed all the same, in words. */
export type Chosen =
  | { readonly kind: 'entries'; readonly entries: readonly LoggedEntry[] }
  | { readonly kind: 'none'; readonly reason: string; readonly uncovered: readonly string[] };

export function chooseEntries(log: readonly LoggedEntry[], { call, turn }: ChangeChoice): Chosen {
  if (call !== undefined) return ofCall(log, call, turn);
  if (turn !== undefined) return ofTurn(log, turn);
  const latest = standing(log).find(isKnown);
  if (latest === undefined) return none('there is nothing to undo in this workspace', log);
  return { kind: 'entries', entries: sameCall(log, latest) };
}

function ofCall(log: readonly LoggedEntry[], call: string, turn: string | undefined): Chosen {
  const inTurn = log.filter(({ header }) => turn === undefined || header.turn === turn);
  const single = inTurn.find(({ header }) => header.id === call);
  const named = single ?? inTurn.find(({ header }) => header.undoes === undefined && header.callId === call);
  if (named === undefined) return none(`there is no change of a call ${call} in this workspace`);
  if (named.stage !== 'made') return none(`what call ${call} did was cut short and has been put back`);
  const entries =
    single === undefined ? sameCall(log, named) : [single].filter((entry) => entry.undoneBy === undefined);
  if (entries.length === 0) return none(`what call ${call} did has been undone already`);
  if (!entries.some(isKnown)) return none(`nothing that call ${call} changed is on record`, entries);
  return { kind: 'entries', entries };
}

function ofTurn(log: readonly LoggedEntry[], turn: string): Chosen {
  const all = log.filter(({ header }) => header.turn === turn && header.undoes === undefined);
  if (all.length === 0) return none(`there is no change of a turn ${turn} in this workspace`);
  const entries = standing(all);
  if (entries.length === 0) return none(`what turn ${turn} did has been undone already`);
  if (!entries.some(isKnown)) return none(`nothing that turn ${turn} changed is on record`, entries);
  return { kind: 'entries', entries };
}

/** Calls of other turns may have been given the same name. */
function sameCall(log: readonly LoggedEntry[], { header: { callId, turn } }: LoggedEntry): readonly LoggedEntry[] {
  return standing(log).filter(({ header }) => header.callId === callId && header.turn === turn);
}

/** Not one of which it is only said that nothing is known. An undo may have found nothing left to put back. */
function isKnown({ header }: LoggedEntry): boolean {
  return header.files.length > 0 || header.undoes !== undefined;
}

function none(why: string, entries: readonly LoggedEntry[] = []): Chosen {
  const uncovered = entries.filter((entry) => !isKnown(entry)).flatMap(({ header }) => header.uncovered ?? []);
  return { kind: 'none', reason: [why, ...uncovered].join('; '), uncovered };
}
