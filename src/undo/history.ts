/** What people see of the log: what was done, what it comes to, and the way back. */
import type { ChangeChoice, ChangeDiff, ChangeHistory, UndoResult } from '../core/change-log.js';
import { callId } from '../core/ids.js';
import { ToolFailure } from '../core/errors.js';
import type { AbsolutePath } from '../core/paths.js';
import { chooseEntries } from './choose-entries.js';
import { changedFile, recordedChange } from './entry.js';
import type { EntryHeader } from './entry.js';
import type { LogParts } from './parts.js';
import { planUndo } from './plan-undo.js';
import type { ToUndo } from './plan-undo.js';
import { latestUndo, readLog } from './read-log.js';
import type { LoggedEntry } from './read-log.js';
import { recordChange } from './record-change.js';
import { findState, restored } from './states.js';
import { diffIn } from './tell-of-change.js';
import type { StatePair } from './tell-of-change.js';

export function changeHistory(parts: LogParts): ChangeHistory {
  const log = async (): Promise<readonly LoggedEntry[]> => {
    await parts.recovered();
    return readLog(parts.store);
  };
  return {
    list: async () => (await log()).map(({ header, undoneBy }) => recordedChange(header, undoneBy)),
    diff: async (choice = {}) => diffOf(parts, await log(), choice),
    undo: async (choice = {}) => undo(parts, await log(), choice),
    redo: async () => redo(parts, await log()),
  };
}

async function undo(parts: LogParts, log: readonly LoggedEntry[], choice: ChangeChoice): Promise<UndoResult> {
  const chosen = chooseEntries(log, choice);
  if (chosen.kind === 'none') return { kind: 'nothing', reason: chosen.reason };
  return takeBack(parts, { log, entries: chosen.entries });
}

async function redo(parts: LogParts, log: readonly LoggedEntry[]): Promise<UndoResult> {
  const latest = latestUndo(log);
  if (latest === undefined) return { kind: 'nothing', reason: 'there is no undo to take back in this workspace' };
  return takeBack(parts, { log, entries: [latest] });
}

async function takeBack(parts: LogParts, given: ToUndo): Promise<UndoResult> {
  const plan = await planUndo(parts.files, given);
  if (plan.kind === 'refused') return plan;
  const headers = given.entries.map(({ header }) => header);
  try {
    const about = { owner: undoOwner(headers), undoes: headers.map(({ id }) => id) };
    const made = await recordChange(parts, about, { files: parts.files, changes: plan.changes });
    // Where nothing is left to put back, it is on record all the same that this was undone.
    const { id, files } = made ?? (await parts.store.add({ ...about, files: [], contents: [] }));
    return {
      kind: 'undone',
      entries: headers.map((header) => recordedChange(header, id)),
      files: files.map(changedFile),
      uncovered: uncoveredSince(given),
    };
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    const paths = plan.changes.map(({ path }) => path).filter((path) => error.message.startsWith(`${path}: `));
    return { kind: 'refused', reason: `nothing was put back: ${error.message}`, paths };
  }
}

function undoOwner([first]: readonly EntryHeader[]): {
  callId: ReturnType<typeof callId>;
  turn: string;
  title: string;
} {
  const { callId: id = '', title = '', turn = '', undoes } = first ?? {};
  const word = undoes === undefined ? 'undo' : 'redo';
  return {
    callId: callId(`${word}:${id.replace(/^undo:/, '')}`),
    turn,
    title: `${word}: ${title.replace(/^undo: /, '')}`,
  };
}

/** Also of calls after these of which nothing else is known: they may have changed the same files. */
function uncoveredSince({ log, entries }: ToUndo): readonly string[] {
  const oldest = Math.max(...entries.map((entry) => log.indexOf(entry)));
  const titles = new Map<string, string>();
  for (const entry of log.slice(0, oldest + 1)) {
    const { title, uncovered, files } = entry.header;
    const isMeant = entries.includes(entry) || files.length === 0;
    if (uncovered !== undefined && isMeant && !titles.has(uncovered)) titles.set(uncovered, title);
  }
  return [...titles].map(([uncovered, title]) => `${title}: ${uncovered}`);
}

async function diffOf(parts: LogParts, log: readonly LoggedEntry[], choice: ChangeChoice): Promise<ChangeDiff> {
  const chosen = chooseEntries(log, choice);
  const [entries, beyond] =
    chosen.kind === 'entries'
      ? [chosen.entries, uncoveredSince({ log, entries: chosen.entries })]
      : [[], chosen.uncovered];
  const pairs: StatePair[] = [];
  const unknown: AbsolutePath[] = [];
  for (const [path, before] of await firstStates(entries)) {
    const { state: after } = await findState(parts.files, path);
    if (after === undefined || before === undefined) unknown.push(path);
    else pairs.push({ path, before, after });
  }
  const { text, leftOut } = diffIn(parts.cwd, pairs);
  const unread = unknown.map((path) => ({ path, reason: 'it cannot be read' }));
  const uncovered = beyond.map((reason) => ({ path: '.', reason }));
  return { text, leftOut: [...leftOut, ...unread, ...uncovered] };
}

type FirstStates = ReadonlyMap<AbsolutePath, StatePair['before'] | undefined>;

/** The newest come first, so that the oldest has the last word. */
async function firstStates(entries: readonly LoggedEntry[]): Promise<FirstStates> {
  const states = new Map<AbsolutePath, StatePair['before'] | undefined>();
  for (const entry of entries) {
    const whole = await entry.read();
    for (const { path, before } of whole?.header.files ?? []) {
      states.set(path, restored(before, whole?.contentOf(before)));
    }
  }
  return states;
}
