/** Runs a user's hooks in order. A hook that throws blocks: a guard that cannot be heard has not said yes. */
import type { Payload, ToolCall } from '../core/call.js';
import { Aborted, Rejected, messageOf } from '../core/errors.js';
import type { Emit } from '../core/events.js';
import type { Hook } from '../core/hook.js';
import type { PlainOutput } from '../core/output.js';
import type { Cancellation } from './cancel.js';

type HookContext = { readonly hooks: readonly Hook[]; readonly cancellation: Cancellation; readonly emit: Emit };

/** The payload to run: the model's, or what the hooks made of it. */
export async function runBeforeHooks(call: ToolCall, { hooks, cancellation, emit }: HookContext): Promise<Payload> {
  let payload = call.payload;
  for (const hook of hooks) {
    if (!hook.beforeCall) continue;
    const tell = teller(hook, 'before', call, emit);
    const said = await guarded(tell, cancellation, () => hook.beforeCall?.({ ...call, payload }, cancellation.signal));
    if (said?.kind === 'rewrite') payload = said.payload;
    else if (said?.kind === 'block') throw blocked(tell, said.reason, call);
    else if (said?.kind !== 'continue') throw crashed(tell, 'it gave no usable answer');
    tell(said.kind);
  }
  return payload;
}

/** What the model gets: the tool's output, or what the hooks made of it. */
export async function runAfterHooks(
  call: ToolCall,
  output: PlainOutput,
  { hooks, cancellation, emit }: HookContext,
): Promise<PlainOutput> {
  let current = output;
  for (const hook of hooks) {
    if (!hook.afterCall) continue;
    const tell = teller(hook, 'after', call, emit);
    const said = await guarded(tell, cancellation, () => hook.afterCall?.(call, current, cancellation.signal));
    if (said?.kind === 'replace') current = said.output;
    else if (said?.kind === 'block') throw withheld(tell, said.reason);
    else if (said?.kind !== 'keep') throw crashed(tell, 'it gave no usable answer');
    tell(said.kind);
  }
  return current;
}

type Tell = {
  (result: 'continue' | 'rewrite' | 'keep' | 'replace' | 'block' | 'crash', reason?: string): void;
  hook: string;
  phase: 'before' | 'after';
};

function teller(hook: Hook, phase: 'before' | 'after', call: ToolCall, emit: Emit): Tell {
  const tell = (result: Parameters<Tell>[0], reason?: string): void =>
    emit({ type: 'hook.finished', callId: call.id, hook: hook.name, phase, result, reason });
  return Object.assign(tell, { hook: hook.name, phase });
}

async function guarded<Value>(
  tell: Tell,
  cancellation: Cancellation,
  work: () => Promise<Value> | Value,
): Promise<Value> {
  try {
    return await cancellation.unlessAborted(work);
  } catch (error) {
    if (error instanceof Aborted) throw error;
    throw crashed(tell, messageOf(error), error);
  }
}

function blocked(tell: Tell, reason: string, call: ToolCall): Rejected {
  tell('block', reason);
  return new Rejected('hook', `Tool call blocked by PreToolUse hook: ${reason}. Tool: ${call.name}`);
}

function withheld(tell: Tell, reason: string): Rejected {
  tell('block', reason);
  return new Rejected('hook', reason);
}

function crashed(tell: Tell, reason: string, cause?: unknown): Rejected {
  tell('crash', reason);
  const what = tell.phase === 'before' ? 'the call was not run' : 'the call ran, but its result is withheld';
  return new Rejected('hook', `The hook "${tell.hook}" failed: ${reason}. To be safe, ${what}.`, { cause });
}
