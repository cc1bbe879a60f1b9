/** Which entries somebody means. */
import type { ChangeChoice } from '../core/change-log.js';
import { standing } from './read-log.js';
import type { LoggedEntry } from './read-log.js';

/** The newest first; or why there are none, in words. */
export type Chosen =
  | { readonly kind: 'entries'; readonly entries: readonly LoggedEntry[] }
  | { readonly kind: 'none'; readonly reason: string };

export function chooseEntries(log: readonly LoggedEntry[], { call, turn }: ChangeChoice): Chosen {
  if (call !== undefined) return ofCall(log, call, turn);
  if (turn !== undefined) return ofTurn(log, turn);
  const latest = standing(log).find(({ header }) => header.files.length > 0);
  if (latest === undefined) return { kind: 'none', reason: 'there is nothing to undo in this workspace' };
  return { kind: 'entries', entries: sameCall(log, latest) };
}

/** The turn of the latest change, also when it was taken back. */
export function latestTurn(log: readonly LoggedEntry[]): string | undefined {
  return log.find(({ header }) => header.undoes === undefined)?.header.turn;
}

function ofCall(log: readonly LoggedEntry[], call: string, turn: string | undefined): Chosen {
  const inTurn = log.filter(({ header }) => turn === undefined || header.turn === turn);
  const single = inTurn.find(({ header }) => header.id === call);
  const named = single ?? inTurn.find(({ header }) => header.undoes === undefined && header.callId === call);
  if (named === undefined) return { kind: 'none', reason: `there is no change of a call ${call} in this workspace` };
  if (named.stage !== 'made')
    return { kind: 'none', reason: `what call ${call} did was cut short and has been put back` };
  const entries =
    single === undefined ? sameCall(log, named) : [single].filter((entry) => entry.undoneBy === undefined);
  if (entries.length === 0) return { kind: 'none', reason: `what call ${call} did has been undone already` };
  return { kind: 'entries', entries };
}

function ofTurn(log: readonly LoggedEntry[], turn: string): Chosen {
  const all = log.filter(({ header }) => header.turn === turn && header.undoes === undefined);
  if (all.length === 0) return { kind: 'none', reason: `there is no change of a turn ${turn} in this workspace` };
  const entries = standing(all);
  if (entries.length === 0) return { kind: 'none', reason: `what turn ${turn} did has been undone already` };
  return { kind: 'entries', entries };
}

/** Calls of other turns may have been given the same name. */
function sameCall(log: readonly LoggedEntry[], { header: { callId, turn } }: LoggedEntry): readonly LoggedEntry[] {
  return standing(log).filter(({ header }) => header.callId === callId && header.turn === turn);
}
