/** What a running tool is handed, and what has to be put away once it has ended. */
import type { ArtifactStore } from '../core/artifacts.js';
import type { ToolCall } from '../core/call.js';
import type { Emit } from '../core/events.js';
import type { Intent, Judge } from '../core/effects.js';
import { filesWith } from '../core/files-with.js';
import { callId } from '../core/ids.js';
import type { CallResult } from '../core/outcome.js';
import { budgetBytes } from '../core/output.js';
import type { Ansi, Budget, Capture } from '../core/output.js';
import type { AbsolutePath } from '../core/paths.js';
import type { Sessions } from '../core/sessions.js';
import type { RunScope } from '../core/tool.js';
import type { Workspace } from '../core/workspace.js';
import { workspaceWith } from '../core/workspace-with.js';
import { createCapture } from './capture.js';
import { limitFiles } from './file-limit.js';
import { typingOnlyWhat } from './typing.js';

export type ScopeParts = {
  readonly artifacts: ArtifactStore;
  readonly budget: Budget;
  /** Whether what is printed keeps its escape sequences. */
  readonly outputAnsi: Ansi;
  readonly sessions: Sessions;
  readonly judge: Judge;
  /** Bytes of the largest file that tools may read or write. */
  readonly maxFileBytes: number | undefined;
  readonly emit: Emit;
  readonly now: () => number;
  readonly randomHex: (digits: number) => string;
};

/** The scopes of one call, one for each attempt. */
export interface Scopes {
  in(workspace: Workspace, run: { readonly intent: Intent; readonly confined: boolean }): RunScope;
  /** Ends every capture, also those of an attempt that failed. Nothing that was left running is heard after this. */
  close(): void;
}

export type ScopeOwner = {
  readonly call: ToolCall;
  readonly signal: AbortSignal;
  /** Runs a call that is part of this one. */
  readonly runInside: (part: ToolCall) => Promise<CallResult>;
};

export function createScopes({ call, signal, runInside }: ScopeOwner, parts: ScopeParts): Scopes {
  const { artifacts, budget, outputAnsi, sessions, judge, maxFileBytes, emit, now, randomHex } = parts;
  const captures: Capture[] = [];
  let partsRun = 0;
  let closed = false;

  function openCapture(): Capture {
    const capture = createCapture({
      label: call.id,
      artifacts,
      ansi: outputAnsi,
      onDelta: (delta) => emit({ type: 'output.delta', callId: call.id, ...delta }),
    });
    if (closed) capture.settle();
    captures.push(capture);
    return capture;
  }

  return {
    in: (workspace, { intent, confined }) => ({
      workspace: withArtifacts(workspace, artifacts, maxFileBytes),
      signal,
      now,
      randomHex,
      budgetBytes: budgetBytes(budget),
      capture: openCapture,
      sessions: typingOnlyWhat(intent, sessions),
      confined,
      callId: call.id,
      readable: async (paths) => new Set(await freeToRead(paths, judge)),
      emit(event) {
        if (!closed) emit({ ...event, callId: call.id });
      },
      runCall(name, payload) {
        partsRun += 1;
        return runInside({ id: callId(`${call.id}.${partsRun}`), name, payload });
      },
    }),
    close() {
      closed = true;
      for (const capture of captures) capture.settle();
    },
  };
}

/** All at once, because mostly all of them are; what would have to be asked about is not. A judge that fails allows nothing. */
async function freeToRead(paths: readonly AbsolutePath[], judge: Judge): Promise<readonly AbsolutePath[]> {
  const effects = paths.map((path) => ({ kind: 'read', path }) as const);
  const verdict = await Promise.resolve(judge({ effects }, [])).catch(() => undefined);
  if (verdict?.kind === 'allow') return paths;
  if (paths.length <= 1) return [];
  const middle = Math.ceil(paths.length / 2);
  const halves = [paths.slice(0, middle), paths.slice(middle)];
  return (await Promise.all(halves.map((half) => freeToRead(half, judge)))).flat();
}

/** What was kept for the model can be read wherever the workspace is: in memory, in a container, behind a sandbox. */
function withArtifacts(workspace: Workspace, artifacts: ArtifactStore, maxFileBytes: number | undefined): Workspace {
  const files = maxFileBytes === undefined ? workspace.files : limitFiles(workspace.files, maxFileBytes);
  return workspaceWith(workspace, {
    files: filesWith(files, { open: (path) => artifacts.open(path) ?? files.open(path) }),
    // Tools start programs; how that is done is not theirs to see.
    prepare: undefined,
  });
}
