/** What a running tool is handed, and what has to be put away once it has ended. */
import type { ArtifactStore } from '../core/artifacts.js';
import type { ToolCall } from '../core/call.js';
import type { Emit } from '../core/events.js';
import type { Intent } from '../core/effects.js';
import { callId } from '../core/ids.js';
import type { CallResult } from '../core/outcome.js';
import { budgetBytes } from '../core/output.js';
import type { Ansi, Budget, Capture } from '../core/output.js';
import type { Sessions } from '../core/sessions.js';
import type { RunScope } from '../core/tool.js';
import type { Workspace } from '../core/workspace.js';
import { createCapture } from './capture.js';
import { typingOnlyWhat } from './typing.js';

export type ScopeParts = {
  readonly artifacts: ArtifactStore;
  readonly budget: Budget;
  /** Whether what is printed keeps its escape sequences. */
  readonly outputAnsi: Ansi;
  readonly sessions: Sessions;
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
  const { artifacts, budget, outputAnsi, sessions, emit, now, randomHex } = parts;
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
      workspace: withArtifacts(workspace, artifacts),
      signal,
      now,
      randomHex,
      budgetBytes: budgetBytes(budget),
      capture: openCapture,
      sessions: typingOnlyWhat(intent, sessions),
      confined,
      callId: call.id,
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

/** What was kept for the model can be read wherever the workspace is: in memory, in a container, behind a sandbox. */
function withArtifacts(workspace: Workspace, artifacts: ArtifactStore): Workspace {
  return {
    cwd: workspace.cwd,
    files: {
      open: (path) => artifacts.open(path) ?? workspace.files.open(path),
      look: (path) => workspace.files.look(path),
      list: (path) => workspace.files.list(path),
      change: (changes) => workspace.files.change(changes),
    },
    shellCommand: (script, options) => workspace.shellCommand(script, options),
    spawn: (command) => workspace.spawn(command),
    ...(workspace.companion && { companion: workspace.companion.bind(workspace) }),
  };
}
