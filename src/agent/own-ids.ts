/**
 * What a call is called here. A model may use an id twice, and many servers count from one in each response; but whoever
 * listens must not take one call for another. To the model it keeps the name it came with.
 */
import { callId } from '../core/ids.js';
import type { CallId } from '../core/ids.js';

/** Of all calls of a conversation. */
export interface OwnIds {
  /** One that no other call has; the first use of an id has it as it is. `reserve` says whether others leave it to us. */
  next(id: CallId, reserve: Reserve): CallId;
  /** For a call that has one already. */
  keep(id: CallId, reserve: Reserve): CallId;
  /** Some call had it before. */
  use(id: string): void;
  /** Whether a call that was begun here has it, or is the whole of which that one is a part. */
  has(id: string): boolean;
}

/** Takes a name for a call; false when another one has it, which may be that of another conversation. */
export type Reserve = (id: string) => boolean;

export function createOwnIds(): OwnIds {
  const uses = new Map<string, number>();
  const own = new Set<string>();

  function free(id: string, reserve: Reserve): string {
    const number = (uses.get(id) ?? 0) + 1;
    uses.set(id, number);
    if (number > 1) return free(`${id}-${number}`, reserve);
    return reserve(id) ? id : free(id, reserve);
  }

  return {
    next(id, reserve) {
      const name = free(id, reserve);
      own.add(name);
      return callId(name);
    },
    keep(id, reserve) {
      reserve(id);
      own.add(id);
      return id;
    },
    use(id) {
      if (!uses.has(id)) uses.set(id, 1);
    },
    has: (id) => own.has(id) || own.has(id.replace(/(?:\.\d+)+$/, '')),
  };
}
