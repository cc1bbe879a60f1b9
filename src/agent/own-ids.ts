/**
 * What a call is called here. A model may use an id twice, and many servers count from one in each response; but whoever
 * listens must not take one call for another. To the model it keeps the name it came with.
 */
import { callId } from '../core/ids.js';
import type { CallId } from '../core/ids.js';

/** Of all calls of a conversation. */
export interface OwnIds {
  /** One that no other call has; the first use of an id has it as it is. */
  next(id: CallId): CallId;
  /** Some call has it already. */
  use(id: string): void;
  /** Whether a call of this conversation has it, or is the whole of which that one is a part. */
  has(id: string): boolean;
}

export function createOwnIds(): OwnIds {
  const uses = new Map<string, number>();

  function free(id: string): string {
    const number = (uses.get(id) ?? 0) + 1;
    uses.set(id, number);
    return number === 1 ? id : free(`${id}-${number}`);
  }

  return {
    next: (id) => callId(free(id)),
    use(id) {
      if (!uses.has(id)) uses.set(id, 1);
    },
    has: (id) => uses.has(id) || uses.has(id.replace(/(?:\.\d+)+$/, '')),
  };
}
