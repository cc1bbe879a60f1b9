/** What became of calls that had no answer when the program was stopped, and what the model is told of them. */
import type { ToolCall } from '../core/call.js';
import type { CallId } from '../core/ids.js';
import type { Answer } from '../core/outcome.js';

export type OpenCall = {
  readonly call: ToolCall;
  /** What it is called here; absent when it had not come so far. */
  readonly own?: CallId;
} & (
  | { readonly state: 'done'; readonly answer: Answer }
  /** It had begun, and may have had any part of its effect. */
  | { readonly state: 'interrupted' }
  /** Nothing of it was done. */
  | { readonly state: 'never-started' }
);

/** For a call that will not be run any more. */
export function lastAnswer(open: OpenCall): Answer {
  const { id, payload } = open.call;
  if (open.state === 'done') return { ...open.answer, callId: id, payloadKind: payload.kind };
  const text = open.state === 'interrupted' ? INTERRUPTED : NEVER_STARTED;
  return { callId: id, payloadKind: payload.kind, content: [{ kind: 'text', text }], success: false };
}

const INTERRUPTED =
  'interrupted: the program that ran this call was stopped before the call had ended. It may have had all of its ' +
  'effect, a part of it, or none. Verify the state of things before you go on; assume nothing.';

const NEVER_STARTED =
  'never started: the program was stopped before this call began. Nothing of it was done; call again if it is still needed.';
