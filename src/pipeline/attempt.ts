/**
 * Runs a tool under its authorisation. When the sandbox is proven to have stopped it, the judge is asked again
 * with exactly the rights that were missing, and the same `run` gets one more chance in a wider workspace.
 */
import path from 'node:path';

import type { ToolCall } from '../core/call.js';
import type { Grant } from '../core/effects.js';
import { Rejected } from '../core/errors.js';
import type { Emit } from '../core/events.js';
import type { ToolOutput } from '../core/output.js';
import { absolutePath } from '../core/paths.js';
import type { RunScope, Tool } from '../core/tool.js';
import type { Confine, Denial, Profile, Workspace } from '../core/workspace.js';
import type { Cancellation } from './cancel.js';

/** How long a cancelled tool may take to stop before it is left behind. */
const STOP_GRACE_MS = 2_000;

export type AttemptContext = {
  readonly call: ToolCall;
  readonly workspace: Workspace;
  readonly profile: Profile;
  readonly confine: Confine;
  readonly cancellation: Cancellation;
  readonly emit: Emit;
  readonly scopeFor: (workspace: Workspace) => RunScope;
  /** Asks for what was missing; throws `Rejected` when the answer is no. */
  readonly reauthorize: (missing: readonly Grant[]) => Promise<{ readonly confined: boolean }>;
};

export async function attempt(
  tool: Tool,
  input: unknown,
  confined: boolean,
  context: AttemptContext,
): Promise<ToolOutput> {
  const first = await tryOnce(tool, input, { confined, grants: [], number: 1 }, context);
  const missing = first.succeeded ? [] : first.denials.flatMap(grantFor);
  if (missing.length === 0) return first.result();
  const wider = await context.reauthorize(missing).catch((error: unknown) => {
    // A refusal leaves the first result standing: it says best what was blocked.
    if (error instanceof Rejected) return undefined;
    throw error;
  });
  if (wider === undefined) return first.result();
  const second = await tryOnce(tool, input, { confined: wider.confined, grants: missing, number: 2 }, context);
  return second.result();
}

type Try = { readonly confined: boolean; readonly grants: readonly Grant[]; readonly number: number };
type Tried = { readonly succeeded: boolean; readonly denials: readonly Denial[]; result(): ToolOutput };

async function tryOnce(
  tool: Tool,
  input: unknown,
  { confined, grants, number }: Try,
  context: AttemptContext,
): Promise<Tried> {
  const { call, emit, cancellation } = context;
  const denials: Denial[] = [];
  const report = (denial: Denial): void => {
    denials.push(denial);
    emit({ type: 'attempt.denied', callId: call.id, attempt: number, ...denial });
  };
  emit({ type: 'attempt.started', callId: call.id, attempt: number, confined });
  try {
    const workspace = confined
      ? context.confine(context.workspace, { ...context.profile, grants }, report)
      : context.workspace;
    const output = await cancellation.withGrace(STOP_GRACE_MS, () => tool.run(input, context.scopeFor(workspace)));
    return { succeeded: output.success !== false, denials, result: () => output };
  } catch (error) {
    if (cancellation.signal.aborted || denials.length === 0) throw error;
    return {
      succeeded: false,
      denials,
      result: () => {
        throw error;
      },
    };
  }
}

/** Only what is proven and can be given by itself; a blocked system call cannot. */
function grantFor({ kind, target, proof }: Denial): Grant[] {
  if (proof === 'inferred' || kind === 'syscall') return [];
  if (kind === 'connect') return [{ kind, host: target }];
  return path.isAbsolute(target) ? [{ kind, path: absolutePath(target) }] : [];
}
