/**
 * Commands, with the workspace looked at before and after. Of commands that run at the same time, the one that ends first
 * is said to have done what was done until then.
 */
import type { ChangeOwner } from '../core/change-log.js';
import { messageOf } from '../core/errors.js';
import { keepContents } from './draft.js';
import type { EntryHeader, StoredFile } from './entry.js';
import { markUncovered } from './mark-uncovered.js';
import type { LogParts } from './parts.js';
import { storedState } from './states.js';
import { tellOfChange } from './tell-of-change.js';
import type { Difference, SeenChange } from './workspace-watch.js';

export type AroundCommand = <Value>(owner: ChangeOwner, command: () => Promise<Value>) => Promise<Value>;

export function commandRecorder(parts: LogParts): AroundCommand {
  let running = 0;
  return async (owner, command) => {
    // While another command runs, what has changed is its doing.
    if (running === 0) parts.watch.refresh();
    running++;
    try {
      return await command();
    } finally {
      running--;
      await record(parts, owner, parts.watch.compare());
    }
  };
}

async function record(parts: LogParts, owner: ChangeOwner, { changes, uncovered }: Difference): Promise<void> {
  if (changes.length === 0) return uncovered === undefined ? undefined : markUncovered(parts, owner, uncovered);
  try {
    const header = await add(parts, owner, { changes, ...(uncovered !== undefined && { uncovered }) });
    const told = changes.flatMap(({ path, before, after }) => (after ? [{ path, before, after }] : []));
    tellOfChange(parts, header, told.length === changes.length ? told : undefined);
  } catch (error) {
    // The command has been run: its output is not to be lost over this.
    parts.emit?.({ type: 'changes.unrecorded', callId: owner.callId, reason: messageOf(error) });
  }
}

async function add({ store }: LogParts, owner: ChangeOwner, { changes, uncovered }: Difference): Promise<EntryHeader> {
  const contents = new Map(changes.map(({ path, before }) => [path, before]));
  const draft = keepContents(changes.map(storedFile), ({ path }) => {
    const state = contents.get(path);
    return state?.kind === 'file' ? state.content : undefined;
  });
  return store.add({ owner, ...draft, ...(uncovered !== undefined && { uncovered }) });
}

function storedFile({ path, before, after, size, modified }: SeenChange): StoredFile {
  const stored = after
    ? storedState(after, modified)
    : ({ kind: 'file', size, modified: Math.floor(modified) } as const);
  return { path, before: storedState(before), after: stored };
}
