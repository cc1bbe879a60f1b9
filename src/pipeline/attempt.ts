/**
 * Runs a tool under its permission. When the sandbox is proven to have stopped it, the judge is asked again with
 * exactly the rights that were missing, and the same `run` gets one more chance in a wider workspace.
 */
import path from 'node:path';

import type { ToolCall } from '../core/call.js';
import type { Grant, Permission } from '../core/effects.js';
import { Rejected, isOwnError, messageOf } from '../core/errors.js';
import type { Emit, EventBody } from '../core/events.js';
import { checkOutput } from '../core/output.js';
import type { ToolOutput } from '../core/output.js';
import { absolutePath } from '../core/paths.js';
import type { RunScope, Tool } from '../core/tool.js';
import type { Confine, Denial, Profile, SandboxReport, Workspace } from '../core/workspace.js';
import type { Cancellation } from './cancel.js';

/** How long a cancelled tool may take to stop before it is left behind. */
const STOP_GRACE_MS = 2_000;

type SandboxEvent = Without<
  Extract<EventBody, { type: 'attempt.denied' | 'sandbox.failed' | 'sandbox.reverted' }>,
  'callId' | 'attempt'
>;
/** Of each of several. */
type Without<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never;

/** One run of a tool: which one it is, and with which rights. */
type Attempt = Permission & { readonly number: number };

export type AttemptContext = {
  readonly call: ToolCall;
  readonly workspace: Workspace;
  readonly profile: Profile;
  readonly confine: Confine;
  readonly cancellation: Cancellation;
  readonly emit: Emit;
  readonly scopeIn: (workspace: Workspace, confined: boolean) => RunScope;
  /** Puts an attempt on record before it is made; throws when it must not be made. */
  readonly announce: (attempt: Attempt) => Promise<void>;
  /** Asks for what was missing; throws `Rejected` when the answer is no. */
  readonly reauthorize: (missing: readonly Grant[]) => Promise<Permission>;
};

export async function attempt(
  tool: Tool,
  input: unknown,
  permission: Permission,
  context: AttemptContext,
): Promise<ToolOutput> {
  const first = await tryOnce(tool, input, { ...permission, number: 1 }, context);
  const missing = hasFailed(first) ? grantsFor(first.denials) : [];
  if (missing.length === 0) return unwrap(first);
  const wider = await context.reauthorize(missing).catch((error: unknown) => {
    // A refusal leaves the first result standing: it says best what was blocked.
    if (error instanceof Rejected) return undefined;
    throw error;
  });
  if (wider === undefined) return unwrap(first);
  const grants = [...permission.grants, ...wider.grants];
  return unwrap(await tryOnce(tool, input, { confined: wider.confined, grants, number: 2 }, context));
}

type Tried = { readonly denials: readonly Denial[] } & (
  | { readonly kind: 'ended'; readonly output: ToolOutput }
  | { readonly kind: 'threw'; readonly error: unknown }
);

async function tryOnce(tool: Tool, input: unknown, run: Attempt, context: AttemptContext): Promise<Tried> {
  const { call, emit, cancellation } = context;
  const { number, confined, grants } = run;
  await context.announce(run);
  emit({ type: 'attempt.started', callId: call.id, attempt: number, confined, grants });
  const denials: Denial[] = [];
  const workspace = workspaceFor(run, context, (what) => {
    if (isDenial(what)) denials.push(what);
    emit({ callId: call.id, attempt: number, ...eventOf(what) });
  });
  try {
    const output = await cancellation.withGrace(STOP_GRACE_MS, () =>
      tool.run(input, context.scopeIn(workspace, confined)),
    );
    return { kind: 'ended', output: checkOutput(output), denials };
  } catch (error) {
    if (cancellation.signal.aborted) throw error;
    return { kind: 'threw', error, denials };
  }
}

/** A sandbox that cannot be set up is no reason to go without one. */
function workspaceFor(
  { confined, grants }: Attempt,
  { workspace, profile, confine }: AttemptContext,
  report: (what: SandboxReport) => void,
): Workspace {
  if (!confined) return workspace;
  try {
    return confine(workspace, { ...profile, grants }, report);
  } catch (error) {
    throw isOwnError(error)
      ? error
      : new Rejected('policy', `sandbox could not start: ${messageOf(error)}`, { cause: error });
  }
}

function isDenial(what: SandboxReport): what is Denial {
  return what.kind !== 'failed' && what.kind !== 'reverted';
}

function eventOf(what: SandboxReport): SandboxEvent {
  if (what.kind === 'failed') return { type: 'sandbox.failed', reason: what.reason };
  if (what.kind !== 'reverted') return { type: 'attempt.denied', ...what };
  return { type: 'sandbox.reverted', path: what.path, change: what.change, aside: what.aside };
}

function hasFailed(tried: Tried): boolean {
  return tried.kind === 'threw' || tried.output.success === false;
}

function unwrap(tried: Tried): ToolOutput {
  if (tried.kind === 'threw') throw tried.error;
  return tried.output;
}

/** Only what is proven and can be given by itself, each right once; a blocked system call cannot be given. */
function grantsFor(denials: readonly Denial[]): readonly Grant[] {
  const grants = denials.flatMap(({ kind, target, proof }): Grant[] => {
    if (proof === 'inferred' || kind === 'syscall') return [];
    if (kind === 'connect') return [{ kind, host: target }];
    return path.isAbsolute(target) ? [{ kind, path: absolutePath(target) }] : [];
  });
  return [...new Map(grants.map((grant) => [JSON.stringify(grant), grant])).values()];
}
