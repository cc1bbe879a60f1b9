/** How the options of a runtime become the parts of a pipeline. */
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { ArtifactStore } from './core/artifacts.js';
import type { ChangeHistory, ChangeLog } from './core/change-log.js';
import type { Journal } from './core/journal.js';
import { monotonicMs } from './core/monotonic.js';
import { DEFAULT_BUDGET } from './core/output.js';
import { absolutePath } from './core/paths.js';
import type { Tool } from './core/tool.js';
import { DEFAULT_SELECTION } from './core/selection.js';
import { workspaceWith } from './core/workspace-with.js';
import { checkTerminalSize } from './core/workspace.js';
import type { TerminalSize, Workspace } from './core/workspace.js';
import { createPolicy, profileOf, writtenByCommands } from './create-policy.js';
import { localFiles } from './exec/local-files.js';
import { createLocalWorkspace } from './exec/local-workspace.js';
import type { LocalWorkspace } from './exec/local-workspace.js';
import { createSessions } from './exec/sessions.js';
import type { SessionStore } from './exec/sessions.js';
import { createArtifactStore } from './journal/artifact-store.js';
import { openChangeLog } from './open-history.js';
import { openWebSearch } from './open-web-search.js';
import { defaultHome, limitOf } from './options.js';
import type { RuntimeOptions } from './options.js';
import { createCapture } from './pipeline/capture.js';
import { NO_COMMAND_LIMIT, createCommandLimit } from './pipeline/command-limit.js';
import type { CommandLimit } from './pipeline/command-limit.js';
import { createGate } from './pipeline/gate.js';
import { NO_CHANGES, NO_HISTORY } from './pipeline/no-changes.js';
import { createPendingApprovals } from './pipeline/pending-approvals.js';
import { createRegistry } from './pipeline/registry.js';
import { createApprovalMemory } from './pipeline/remember.js';
import type { Pipeline } from './pipeline/run-call.js';
import { confineInProcess } from './sandbox/confine-in-process.js';
import type { Sandbox } from './sandbox/sandbox.js';
import { builtinTools } from './tools/index.js';

export function localWorkspace(options: RuntimeOptions): LocalWorkspace {
  const { home, environmentPolicy, allowLoginShell } = options;
  const cwd = absolutePath(path.resolve(options.cwd ?? process.cwd()));
  // Out of reach of confined commands, unlike the system's folder for temporary files.
  const runFolder = path.resolve(home ?? defaultHome(), 'run');
  return createLocalWorkspace(cwd, {
    untrustedFolders: writtenByCommands(options, cwd),
    runFolder,
    openSpawner: async () => (await import('./sandbox/runner/spawner.js')).openSpawner([runFolder, tmpdir()]),
    ...(environmentPolicy && { environmentPolicy }),
    ...(allowLoginShell !== undefined && { allowLoginShell }),
  });
}

export type RuntimePipeline = Pipeline & {
  readonly sessions: SessionStore;
  readonly history: ChangeHistory;
  readonly closeSandbox: () => Promise<void>;
  /** Begins with what the first command would have to wait for. */
  readonly getReady: () => void;
};

export function createPipeline(options: RuntimeOptions, workspace: Workspace, emit: Pipeline['emit']): RuntimePipeline {
  const profile = profileOf(options, workspace);
  const selection = { ...DEFAULT_SELECTION, ...options.selection };
  const artifacts = artifactsIn(options.home ?? defaultHome());
  const { policy, sandbox } = createPolicy(options, profile);
  const outputAnsi = options.outputAnsi ?? 'strip';
  const changes = changesOf(options, workspace, emit);
  const commandLimit = commandLimitOf(options);
  return {
    emit,
    workspace: tellingOfReleases(workspace, sandbox),
    profile,
    registry: createRegistry(toolsOf(options), selection, emit),
    gate: createGate(),
    hooks: options.hooks ?? [],
    judge: commandLimit.judging(options.judge ?? policy.judge),
    commandLimit,
    maxFileBytes: limitOf('maxFileBytes', options),
    approve: options.approver,
    pending: createPendingApprovals(options.approvalDeadline),
    keep: options.keepRules ?? (options.judge ? undefined : policy.keep),
    memory: createApprovalMemory(),
    confine: options.confine ?? (options.workspace ? confineInProcess : sandbox.confine),
    preview: previewOf(options, sandbox),
    changes: changes ?? NO_CHANGES,
    history: changes ?? NO_HISTORY,
    closeSandbox: () => sandbox.close(),
    getReady() {
      if (!options.judge) policy.getReady();
      workspace.getReady?.();
      const isOurs = !options.confine && !options.workspace;
      if (isOurs && profile.mode !== 'danger-full-access') sandbox.getReady(profile);
    },
    journal: options.journal ?? NO_JOURNAL,
    artifacts,
    budget: options.outputBudget ?? DEFAULT_BUDGET,
    outputAnsi,
    sessions: createSessions({
      emit,
      terminalSize: checkTerminalSize(options.terminalSize ?? DEFAULT_TERMINAL_SIZE),
      openCapture: (call) =>
        createCapture({
          label: call,
          artifacts,
          ansi: outputAnsi,
          onDelta: (delta) => emit({ type: 'output.delta', callId: call, ...delta }),
        }),
    }),
    now: monotonicMs,
    randomHex,
  };
}

function toolsOf(options: RuntimeOptions): readonly Tool[] {
  const { webSearch, standIn, tools = [] } = options;
  const search = webSearch && openWebSearch(webSearch);
  const all = [...(options.builtinTools ?? builtinTools), ...(search ? [search] : []), ...tools];
  return standIn ? all.map(standIn) : all;
}

function commandLimitOf(options: RuntimeOptions): CommandLimit {
  const most = limitOf('maxShellCommands', options);
  return most === undefined ? NO_COMMAND_LIMIT : createCommandLimit(most);
}

/** Elsewhere than on this machine, what is on the disk is not ours to put back. */
function changesOf(
  { keepChanges = true, workspace: elsewhere, home }: RuntimeOptions,
  { cwd }: Workspace,
  emit: Pipeline['emit'],
): (ChangeLog & ChangeHistory) | undefined {
  if (!keepChanges || elsewhere) return undefined;
  return openChangeLog({ cwd, home: path.resolve(home ?? defaultHome()), emit });
}

/** Only the built-in sandbox knows how to make a copy. */
function previewOf({ preview = false, workspace, confine }: RuntimeOptions, sandbox: Sandbox): Pipeline['preview'] {
  if (workspace || confine) return undefined;
  return { always: preview, open: (...given) => sandbox.stage(...given) };
}

/** A command that nothing marks as confined is not. */
function tellingOfReleases(workspace: Workspace, sandbox: Sandbox): Workspace {
  return workspaceWith(workspace, {
    spawn(command) {
      if (command.sandbox === undefined) sandbox.released();
      return workspace.spawn(command);
    },
  });
}

const DEFAULT_TERMINAL_SIZE: TerminalSize = { columns: 80, rows: 24 };

const NO_JOURNAL: Journal = { intended: async () => {}, settled: async () => {} };

function artifactsIn(home: string): ArtifactStore {
  const runtimeId = `${process.pid}-${randomHex(8)}`;
  return createArtifactStore({
    root: absolutePath(path.resolve(home, 'artifacts')),
    runtimeId,
    files: localFiles,
    now: Date.now,
  });
}

/** Names things; guards nothing. */
function randomHex(digits: number): string {
  return Math.floor(Math.random() * 16 ** digits)
    .toString(16)
    .padStart(digits, '0');
}
