/** The record of what was about to happen and what did. Written before the effect and after it, never in between. */
import type { ToolCall } from './call.js';
import type { Grant, Intent } from './effects.js';
import type { CallResult } from './outcome.js';

/** What is about to be done: the call as it will run, hooks included, and under which rights. */
export type Intended = {
  readonly call: ToolCall;
  readonly intent: Intent;
  /** 1, or 2 for the attempt after a proven denial. */
  readonly attempt: number;
  readonly confined: boolean;
  readonly grants: readonly Grant[];
};

export interface Journal {
  /** Resolves once the attempt is on record. When it throws, the attempt is not made. */
  intended(attempt: Intended): Promise<void>;
  /** Resolves once the result is on record. Every call is settled exactly once. */
  settled(call: ToolCall, result: CallResult): Promise<void>;
}

/** Each is asked, and one that throws stops the call. */
export function inBoth(first: Journal, second: Journal): Journal {
  return {
    async intended(attempt) {
      await first.intended(attempt);
      await second.intended(attempt);
    },
    async settled(call, result) {
      await first.settled(call, result);
      await second.settled(call, result);
    },
  };
}
