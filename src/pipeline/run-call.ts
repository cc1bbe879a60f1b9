/**
 * The spine: one tool call, straight down, each line one step. Whatever happens inside, one `CallResult` comes
 * out, the call is settled in the journal exactly once, and nothing is thrown.
 */
import type { Payload, ToolCall } from '../core/call.js';
import { Aborted, Fatal, messageOf, toOutcome } from '../core/errors.js';
import type { EventBody } from '../core/events.js';
import type { Hook } from '../core/hook.js';
import type { Intended, Journal } from '../core/journal.js';
import { answerText } from '../core/outcome.js';
import type { CallResult, Outcome } from '../core/outcome.js';
import { budgetBytes, budgetOf, contentEvent } from '../core/output.js';
import type { Budget, PlainOutput, ToolOutput } from '../core/output.js';
import type { Concurrency, Tool } from '../core/tool.js';
import { answerFor } from './answer.js';
import type { Ending } from './answer.js';
import { attempt } from './attempt.js';
import { authorize } from './authorize.js';
import type { Authority } from './authorize.js';
import { boundOutput } from './bound-output.js';
import type { Bounds } from './bound-output.js';
import { createCancellation } from './cancel.js';
import type { Cancellation } from './cancel.js';
import type { CommandLimit } from './command-limit.js';
import type { Gate, Pass } from './gate.js';
import { getReady } from './get-ready.js';
import type { PreviewParts } from './preview.js';
import type { Registry } from './registry.js';
import { runAfterHooks, runBeforeHooks } from './run-hooks.js';
import { createScopes } from './scope.js';
import type { ScopeParts } from './scope.js';
import { withSessions } from './typing.js';

/** Everything a call passes through, as functions: the composition root decides what stands behind them. */
export type Pipeline = Authority &
  ScopeParts &
  PreviewParts & {
    readonly registry: Registry;
    readonly gate: Gate;
    readonly hooks: readonly Hook[];
    readonly journal: Journal;
    readonly commandLimit: CommandLimit;
  };

/** What a call has in common with those around it. */
export type CallContext = {
  /** Cancels it. */
  readonly signal: AbortSignal;
  /** The turn of the model that it belongs to. */
  readonly turn: string;
};

/** `inside` is given for a call that is part of another one. */
export async function runCall(
  call: ToolCall,
  { signal, turn }: CallContext,
  pipeline: Pipeline,
  inside?: Pass,
): Promise<CallResult> {
  const { emit, now, registry } = pipeline;
  const started = now();
  emit({ type: 'call.started', callId: call.id, name: call.name, payload: call.payload });
  const tool = registry.find(call.name);
  const outcome = tool
    ? await outcomeOf({ call, tool, turn, cancellation: createCancellation(signal), pipeline, inside })
    : toOutcome(registry.unsupported(call));
  const result = await settle({ call, tool, outcome, elapsedMs: now() - started }, pipeline);
  emit(finishedEvent(call, result, now() - started));
  return result;
}

/** One call that has found its tool. */
type Running = {
  readonly call: ToolCall;
  readonly tool: Tool;
  readonly turn: string;
  readonly cancellation: Cancellation;
  readonly pipeline: Pipeline;
  readonly inside: Pass | undefined;
};

async function outcomeOf(running: Running): Promise<Outcome> {
  const { call, tool, cancellation, pipeline, inside } = running;
  try {
    // The gate is reached before anything is awaited, so calls run in the order they came.
    const entry = { concurrency: concurrencyOf(tool, call.payload), signal: cancellation.signal };
    const work = (pass: Pass): Promise<PlainOutput> => perform(running, pass);
    const output = await (inside ? inside.part(entry, work) : pipeline.gate.pass(entry, work));
    return { kind: 'completed', output };
  } catch (error) {
    return toOutcome(error);
  }
}

/** What a payload cannot tell is not shared. */
function concurrencyOf({ concurrency }: Tool, payload: Payload): Concurrency {
  if (typeof concurrency !== 'function') return concurrency;
  try {
    return concurrency(payload) === 'shared' ? 'shared' : 'exclusive';
  } catch {
    return 'exclusive';
  }
}

async function perform(running: Running, pass: Pass): Promise<PlainOutput> {
  const { tool, turn, cancellation, pipeline } = running;
  const { signal } = cancellation;
  const scopes = createScopes(
    { call: running.call, signal, runInside: (part) => runCall(part, { signal, turn }, pipeline, pass) },
    pipeline,
  );
  try {
    const call = await callAfterHooks(running);
    const input = tool.parse(call.payload);
    const intent = withSessions(tool.intent(input, pipeline.workspace), pipeline.sessions);
    getReady(intent, pipeline);
    const presentation = tool.present?.(input) ?? { title: call.name };
    const subject = { call, intent, presentation, cancellation };
    const permit = await authorize({ ...subject, missing: [] }, pipeline);
    await cancellation.unlessAborted(() => pipeline.changes.ready());
    const output = await attempt(tool, input, permit, {
      subject,
      owner: { callId: call.id, turn, title: presentation.command ?? presentation.title },
      parts: pipeline,
      scopeIn: (workspace, confined) => scopes.in(workspace, { intent, confined }),
      announce: ({ number, confined, grants }) =>
        recordIntent(running, { call, intent, attempt: number, confined, grants }),
      reauthorize: (missing) => authorize({ ...subject, missing }, pipeline),
    });
    return await finish({ ...running, call }, output);
  } finally {
    scopes.close();
  }
}

/** The call as it will run: the model's, or what the hooks made of it. */
async function callAfterHooks({ call, tool, cancellation, pipeline }: Running): Promise<ToolCall> {
  const { hooks, emit } = pipeline;
  const payload = await runBeforeHooks(call, { hooks, tool, emit, cancellation });
  return payload === call.payload ? call : { ...call, payload };
}

async function recordIntent({ cancellation, pipeline }: Running, intended: Intended): Promise<void> {
  if (intended.attempt === 1) pipeline.commandLimit.begin(intended.intent);
  try {
    await cancellation.unlessAborted(() => pipeline.journal.intended(intended));
  } catch (error) {
    if (error instanceof Aborted) throw error;
    throw new Fatal(`the call was not run because it could not be recorded: ${messageOf(error)}`, { cause: error });
  }
}

/** Bounded before the hooks, so that they see what the model would get, and after them if they changed it. */
async function finish({ call, tool, cancellation, pipeline }: Running, output: ToolOutput): Promise<PlainOutput> {
  const { emit, hooks } = pipeline;
  const bounds = boundsFor(call, pipeline);
  const bounded = boundOutput(output, bounds);
  try {
    const final = await runAfterHooks(call, bounded, { hooks, tool, cancellation, emit });
    return final === bounded ? bounded : boundOutput(final, { ...bounds, budget: enough(bounds.budget, bounded) });
  } catch (error) {
    throw error instanceof Aborted ? new Aborted({ afterRun: true }) : error;
  }
}

/** Room for what was bounded already, with its notes, and a little more: cutting it again would hide what was cut. */
function enough(budget: Budget, bounded: PlainOutput): Budget {
  const bytes = Buffer.byteLength(answerText(bounded));
  return budgetOf(Math.max(budgetBytes(budget), Math.ceil(bytes * 1.2)), budget);
}

function boundsFor(call: ToolCall, { artifacts, budget, emit }: Pipeline): Bounds {
  return { artifacts, budget, label: call.id, emit: (event) => emit({ ...event, callId: call.id }) };
}

/** Answers the call and puts the result on record. What nobody can prove must not be acted on: the turn then ends. */
async function settle(ending: Ending, pipeline: Pipeline): Promise<CallResult> {
  const bounds = boundsFor(ending.call, pipeline);
  const result = { outcome: ending.outcome, answer: answerFor(ending, bounds) };
  try {
    await pipeline.journal.settled(ending.call, result);
    return result;
  } catch (error) {
    const outcome = toOutcome(new Fatal(`the result of the call could not be recorded: ${messageOf(error)}`));
    return { outcome, answer: answerFor({ ...ending, outcome }, bounds) };
  }
}

function finishedEvent(call: ToolCall, { outcome, answer }: CallResult, durationMs: number): EventBody {
  return {
    type: 'call.finished',
    callId: call.id,
    name: call.name,
    outcome: outcome.kind,
    by: 'by' in outcome ? outcome.by : undefined,
    afterRun: outcome.kind === 'aborted' ? outcome.afterRun : undefined,
    success: answer.success,
    durationMs: Math.round(durationMs * 1000) / 1000,
    content: answer.content.map(contentEvent),
    details: outcome.kind === 'completed' ? outcome.output.details : undefined,
  };
}
