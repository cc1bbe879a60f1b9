/**
 * Runs a tool under its permission. When the sandbox is proven to have stopped it, the judge is asked again with
 * exactly the rights that were missing, and the same `run` gets one more chance in a wider workspace.
 */
import path from 'node:path';

import type { ChangeOwner } from '../core/change-log.js';
import type { Grant } from '../core/effects.js';
import { Rejected, toOutcome } from '../core/errors.js';
import type { EventBody } from '../core/events.js';
import { checkOutput } from '../core/output.js';
import type { ToolOutput } from '../core/output.js';
import { absolutePath } from '../core/paths.js';
import type { RunScope, Tool } from '../core/tool.js';
import type { Denial, SandboxReport, Workspace } from '../core/workspace.js';
import type { Subject } from './ask.js';
import { workspaceGround } from './ground.js';
import type { Ground } from './ground.js';
import { previewGround } from './preview.js';
import type { PreviewParts } from './preview.js';
import type { Permit } from './previewable.js';

/** How long a cancelled tool may take to stop before it is left behind. */
const STOP_GRACE_MS = 2_000;

type SandboxEvent = Without<
  Extract<EventBody, { type: 'attempt.denied' | 'sandbox.failed' | 'sandbox.reverted' }>,
  'callId' | 'attempt'
>;
/** Of each of several. */
type Without<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never;

/** One run of a tool: which one it is, and with which rights. */
type Attempt = Permit & { readonly number: number };

export type AttemptContext = {
  readonly subject: Subject;
  /** Whose changes they are. */
  readonly owner: ChangeOwner;
  readonly parts: PreviewParts;
  readonly scopeIn: (workspace: Workspace, confined: boolean) => RunScope;
  /** Puts an attempt on record before it is made; throws when it must not be made. */
  readonly announce: (attempt: Attempt) => Promise<void>;
  /** Asks for what was missing; throws `Rejected` when the answer is no. */
  readonly reauthorize: (missing: readonly Grant[]) => Promise<Permit>;
};

export async function attempt(
  tool: Tool,
  input: unknown,
  permit: Permit,
  context: AttemptContext,
): Promise<ToolOutput> {
  const first = await tryOnce(tool, input, { ...permit, number: 1 }, context);
  const missing = hasFailed(first) ? grantsFor(first.denials) : [];
  if (missing.length === 0) return conclude(first);
  const wider = await context.reauthorize(missing).catch(async (error: unknown) => {
    // A refusal leaves the first result standing: it says best what was blocked.
    if (error instanceof Rejected) return undefined;
    await first.ground.leave();
    throw error;
  });
  if (wider === undefined) return conclude(first);
  await first.ground.leave();
  return conclude(await tryOnce(tool, input, { ...widened(permit, wider), number: 2 }, context));
}

type Tried = { readonly denials: readonly Denial[]; readonly ground: Ground } & (
  | { readonly kind: 'ended'; readonly output: ToolOutput }
  | { readonly kind: 'threw'; readonly error: unknown }
);

async function tryOnce(tool: Tool, input: unknown, run: Attempt, context: AttemptContext): Promise<Tried> {
  const { cancellation } = context.subject;
  const announced = await announce(tool, run, context);
  const denials: Denial[] = [];
  const ground = await enterGround({ ...run, ...announced }, context, (denial) => denials.push(denial));
  const runTool = async (): Promise<ToolOutput> => {
    try {
      return await tool.run(input, context.scopeIn(ground.workspace, run.confined));
    } finally {
      // What is not on record was not made, whatever the tool says.
      await announced.onRecord;
    }
  };
  try {
    const output = await ground.run(() => cancellation.withGrace(STOP_GRACE_MS, runTool));
    return { kind: 'ended', output: checkOutput(output), denials, ground };
  } catch (error) {
    const isOver = cancellation.signal.aborted || toOutcome(error).kind === 'fatal';
    if (!isOver) return { kind: 'threw', error, denials, ground };
    await ground.leave();
    throw error;
  }
}

/** Most tools wait until the attempt is on record; one that only changes files may think until then. */
async function announce(tool: Tool, run: Attempt, context: AttemptContext): Promise<Announced> {
  const announced = context.announce(run);
  if (!tool.onlyChangesFiles || run.preview) await announced;
  // It is heard of when the tool has ended, if not before.
  announced.catch(() => undefined);
  return { onRecord: announced };
}

/** In a record, because it is not to be waited for yet. */
type Announced = { readonly onRecord: Promise<void> };

async function enterGround(
  { number, confined, grants, preview, harmless, onRecord }: Attempt & Announced,
  { subject, owner, parts }: AttemptContext,
  onDenial: (denial: Denial) => void,
): Promise<Ground> {
  const { call, intent } = subject;
  parts.emit({ type: 'attempt.started', callId: call.id, attempt: number, confined, grants });
  const report = (what: SandboxReport): void => {
    if (isDenial(what)) onDenial(what);
    parts.emit({ callId: call.id, attempt: number, ...eventOf(what) });
  };
  const use = { permission: { confined, grants }, harmless, intent, owner, report, onRecord };
  return preview ? previewGround(use, subject, parts) : workspaceGround(use, parts);
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

async function conclude(tried: Tried): Promise<ToolOutput> {
  try {
    if (tried.kind === 'threw') throw tried.error;
    return await tried.ground.keep(tried.output);
  } finally {
    await tried.ground.leave();
  }
}

/** What was to be seen first still is, unless there is no sandbox any more to hold a copy. */
function widened(permit: Permit, wider: Permit): Permit {
  const { confined } = wider;
  const preview = confined && (permit.preview || wider.preview);
  return { confined, grants: [...permit.grants, ...wider.grants], preview, harmless: false };
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
