/** Runs a user's hooks in order. A hook that throws blocks: a guard that cannot be heard has not said yes. */
import type { Payload, ToolCall } from '../core/call.js';
import { Aborted, Rejected, messageOf } from '../core/errors.js';
import type { Emit, EventBody } from '../core/events.js';
import type { Hook } from '../core/hook.js';
import { checkOutput } from '../core/output.js';
import type { PlainOutput } from '../core/output.js';
import type { Tool } from '../core/tool.js';
import type { Cancellation } from './cancel.js';

type HookContext = {
  readonly hooks: readonly Hook[];
  readonly tool: Tool;
  readonly cancellation: Cancellation;
  readonly emit: Emit;
};

/** The payload to run: the model's, or what the hooks made of it. */
export async function runBeforeHooks(call: ToolCall, context: HookContext): Promise<Payload> {
  const { hooks, tool, cancellation, emit } = context;
  let payload = call.payload;
  for (const hook of hooks) {
    if (!hook.beforeCall) continue;
    const run: HookRun = { hook, phase: 'before', call, emit };
    const said = await runHook(run, cancellation, () => hook.beforeCall?.({ ...call, payload }, cancellation.signal));
    if (said?.kind === 'block') throw blocked(run, said.reason, commandIn(tool, payload));
    if (said?.kind === 'rewrite') payload = said.payload;
    else if (said?.kind !== 'continue') throw crashed(run, 'it gave no usable answer');
    emitFinished(run, said.kind, said.kind === 'rewrite' ? { payload } : {});
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
    const run: HookRun = { hook, phase: 'after', call, emit };
    const said = await runHook(run, cancellation, () => hook.afterCall?.(call, current, cancellation.signal));
    if (said?.kind === 'block') throw withheld(run, said.reason);
    if (said?.kind === 'replace') current = checkReplacement(run, said.output);
    else if (said?.kind !== 'keep') throw crashed(run, 'it gave no usable answer');
    emitFinished(run, said.kind);
  }
  return current;
}

/** One hook on its way through one call. */
type HookRun = {
  readonly hook: Hook;
  readonly phase: 'before' | 'after';
  readonly call: ToolCall;
  readonly emit: Emit;
};

type HookFinished = Extract<EventBody, { type: 'hook.finished' }>;

function emitFinished(
  { hook, phase, call, emit }: HookRun,
  result: HookFinished['result'],
  more: Pick<HookFinished, 'reason' | 'payload'> = {},
): void {
  emit({ type: 'hook.finished', callId: call.id, hook: hook.name, phase, result, ...more });
}

async function runHook<Value>(
  run: HookRun,
  cancellation: Cancellation,
  work: () => Promise<Value> | Value,
): Promise<Value> {
  try {
    return await cancellation.unlessAborted(work);
  } catch (error) {
    if (error instanceof Aborted) throw error;
    throw crashed(run, messageOf(error), error);
  }
}

function blocked(run: HookRun, reason: string, command: string | undefined): Rejected {
  emitFinished(run, 'block', { reason });
  const text =
    command === undefined
      ? `Tool call blocked by PreToolUse hook: ${reason}. Tool: ${run.call.name}`
      : `Command blocked by PreToolUse hook: ${reason}. Command: ${command}`;
  return new Rejected('hook', text);
}

function checkReplacement(run: HookRun, output: PlainOutput): PlainOutput {
  try {
    return checkOutput(output);
  } catch (error) {
    throw crashed(run, messageOf(error), error);
  }
}

/** The command a payload would run, if it is one and can be read. */
function commandIn(tool: Tool, payload: Payload): string | undefined {
  try {
    return tool.present?.(tool.parse(payload)).command;
  } catch {
    return undefined;
  }
}

function withheld(run: HookRun, reason: string): Rejected {
  emitFinished(run, 'block', { reason });
  return new Rejected('hook', reason);
}

function crashed(run: HookRun, reason: string, cause?: unknown): Rejected {
  emitFinished(run, 'crash', { reason });
  const what = run.phase === 'before' ? 'the call was not run' : 'the call ran, but its result is withheld';
  return new Rejected('hook', `The hook "${run.hook.name}" failed: ${reason}. To be safe, ${what}.`, { cause });
}
