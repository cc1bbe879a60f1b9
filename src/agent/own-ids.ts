/**
 * What a call is called here. A model may use an id twice, and many servers count from one in each response; but whoever
 * listens must not take one call for another. To the model it keeps the name it came with.
 */
import type { ToolCall } from '../core/call.js';
import { callId } from '../core/ids.js';
import type { CallResult } from '../core/outcome.js';

type Run = (call: ToolCall) => Promise<CallResult>;

/** For all calls of a conversation. */
export function createOwnIds(): (call: ToolCall, run: Run) => Promise<CallResult> {
  const uses = new Map<string, number>();
  return async (call, run) => {
    const id = callId(freeId(call.id, uses));
    const { outcome, answer } = await run({ ...call, id });
    return { outcome, answer: { ...answer, callId: call.id } };
  };
}

/** The first use of an id has it as it is. */
function freeId(id: string, uses: Map<string, number>): string {
  const number = (uses.get(id) ?? 0) + 1;
  uses.set(id, number);
  return number === 1 ? id : freeId(`${id}-${number}`, uses);
}
