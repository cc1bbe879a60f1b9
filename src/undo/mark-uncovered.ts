/** A call of which nothing is known but what is not: that is worth a mark, but no entry that others would have to give way to. */
import type { ChangeOwner } from '../core/change-log.js';
import { messageOf } from '../core/errors.js';
import type { LogParts } from './parts.js';

/** What the call did stands: it is not to be lost over this. */
export async function markUncovered({ store, emit }: LogParts, owner: ChangeOwner, uncovered: string): Promise<void> {
  try {
    await store.mark(owner, uncovered);
  } catch (error) {
    emit?.({ type: 'changes.unrecorded', callId: owner.callId, reason: messageOf(error) });
  }
}
