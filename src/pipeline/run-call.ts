/**
 * The spine: one tool call, straight down, each line one step. Whatever happens inside, one `CallResult` comes
 * out, the call is settled in the journal exactly once, and nothing is thrown.
 */
import type { Payload, ToolCall } from '../core/call.js';
import type { Intent } from '../core/effects.js';
import { Aborted, Fatal, messageOf, toOutcome } from '../core/errors.js';
import type { EventBody } from '../core/events.js';
import type { Hook } from '../core/hook.js';
import type { Journal } from '../core/journal.js';
import type { CallResult, Outcome } from '../core/outcome.js';
import type { PlainOutput, ToolOutput } from '../core/output.js';
import type { Tool } from '../core/tool.js';
import type { Confine, Profile, Workspace } from '../core/workspace.js';
import { answerFor } from './answer.js';
import { attempt } from './attempt.js';
import { authorize } from './authorize.js';
import type { Authority, Plea } from './authorize.js';
import { boundOutput } from './bound-output.js';
import type { Bounds } from './bound-output.js';
import { createCancellation } from './cancel.js';
import type { Cancellation } from './cancel.js';
import type { Gate } from './gate.js';
import type { Registry } from './registry.js';
import { runAfterHooks, runBeforeHooks } from './run-hooks.js';
import { createScopes } from './scope.js';
import type { ScopeParts } from './scope.js';

/** Everything a call passes through, as functions: the composition root decides what stands behind them. */
export type Pipeline = Authority &
  ScopeParts & {
    readonly registry: Registry;
    readonly gate: Gate;
    readonly hooks: readonly Hook[];
    readonly workspace: Workspace;
    readonly profile: Profile;
    readonly confine: Confine;
    readonly journal: Journal;
  };

export async function runCall(call: ToolCall, signal: AbortSignal, pipeline: Pipeline): Promise<CallResult> {
  const { emit, now, registry } = pipeline;
  const started = now();
  emit({ type: 'call.started', callId: call.id, name: call.name, payload: call.payload });
  const tool = registry.find(call.name);
  const outcome = tool
    ? await outcomeOf({ call, tool, cancellation: createCancellation(signal), pipeline })
    : toOutcome(registry.unsupported(call));
  const answer = answerFor(call, tool, outcome, now() - started);
  const result = await record(call, { outcome, answer }, pipeline);
  emit(finishedEvent(call, result, now() - started));
  return result;
}

/** One call that has found its tool. */
type Running = {
  readonly call: ToolCall;
  readonly tool: Tool;
  readonly cancellation: Cancellation;
  readonly pipeline: Pipeline;
};

async function outcomeOf(running: Running): Promise<Outcome> {
  try {
    return { kind: 'completed', output: await perform(running) };
  } catch (error) {
    return toOutcome(error);
  }
}

/** The gate is entered before anything is awaited, so calls run in the order they came. */
async function perform(running: Running): Promise<PlainOutput> {
  const { call, tool, cancellation, pipeline } = running;
  const { emit, hooks, workspace, profile, confine } = pipeline;
  const scopes = createScopes(call, cancellation.signal, pipeline);
  const leave = await pipeline.gate.enter(tool.concurrency, cancellation.signal);
  try {
    const payload = await runBeforeHooks(call, { hooks, tool, emit, cancellation });
    const input = tool.parse(payload);
    const intent = tool.intent(input, workspace);
    const plea = pleaFor(running, { payload, input, intent });
    const { confined } = await authorize(plea, pipeline);
    await recordIntent(running, intent);
    const output = await attempt(tool, input, confined, {
      call,
      workspace,
      profile,
      confine,
      cancellation,
      emit,
      scopeFor: (confinedTo) => scopes.in(confinedTo),
      reauthorize: (missing) => authorize({ ...plea, missing }, pipeline),
    });
    return await finish(running, output);
  } finally {
    scopes.close();
    leave();
  }
}

function pleaFor(
  { call, tool, cancellation, pipeline }: Running,
  { payload, input, intent }: { payload: Payload; input: unknown; intent: Intent },
): Plea {
  const presentation = tool.present?.(input) ?? { title: call.name };
  return { call: { ...call, payload }, intent, presentation, cwd: pipeline.workspace.cwd, missing: [], cancellation };
}

async function recordIntent({ call, cancellation, pipeline }: Running, intent: Intent): Promise<void> {
  try {
    await cancellation.unlessAborted(() => pipeline.journal.intended(call, intent));
  } catch (error) {
    if (error instanceof Aborted) throw error;
    throw new Fatal(`the call was not run because it could not be recorded: ${messageOf(error)}`, { cause: error });
  }
}

/** Bounded before the hooks, so that they see what the model would get, and after them if they changed it. */
async function finish({ call, tool, cancellation, pipeline }: Running, output: ToolOutput): Promise<PlainOutput> {
  const { artifacts, budget, emit, hooks } = pipeline;
  const bounds: Bounds = { artifacts, budget, label: call.id, emit: (event) => emit({ ...event, callId: call.id }) };
  const bounded = boundOutput(output, bounds);
  try {
    const final = await runAfterHooks(call, bounded, { hooks, tool, cancellation, emit });
    return final === bounded ? bounded : boundOutput(final, bounds);
  } catch (error) {
    throw error instanceof Aborted ? new Aborted(true) : error;
  }
}

/** A result that cannot be recorded ends the turn: going on would act on what nobody can prove. */
async function record(call: ToolCall, result: CallResult, { journal }: Pipeline): Promise<CallResult> {
  try {
    await journal.settled(call, result);
    return result;
  } catch (error) {
    const message = `the result of the call could not be recorded: ${messageOf(error)}`;
    return { ...result, outcome: { kind: 'fatal', message } };
  }
}

function finishedEvent(call: ToolCall, { outcome, answer }: CallResult, durationMs: number): EventBody {
  return {
    type: 'call.finished',
    callId: call.id,
    name: call.name,
    outcome: outcome.kind,
    by: outcome.kind === 'rejected' ? outcome.by : undefined,
    success: answer.success,
    durationMs: Math.round(durationMs * 1000) / 1000,
    content: answer.content.map((part) =>
      part.kind === 'text'
        ? part
        : { kind: 'image', mediaType: part.mediaType, bytes: Buffer.byteLength(part.base64, 'base64') },
    ),
    details: outcome.kind === 'completed' ? outcome.output.details : undefined,
  };
}
