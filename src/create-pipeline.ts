/** What a runtime can be given, and how that becomes the parts of a pipeline. Everything it uses can be replaced. */
import path from 'node:path';

import { createJudge } from './create-judge.js';
import type { PolicyJudge } from './create-judge.js';
import { PROTECTED_NAMES, createLazySandbox, temporaryRoots, writableRoots } from './create-sandbox.js';
import type { ApprovalDeadline, Approver, KeepRules } from './core/approval.js';
import type { ChangeHistory, ChangeLog } from './core/change-log.js';
import type { Judge } from './core/effects.js';
import type { EnvironmentPolicy } from './core/environment-policy.js';
import { ConfigError } from './core/errors.js';
import type { Listener } from './core/events.js';
import type { Hook } from './core/hook.js';
import type { ArtifactStore } from './core/artifacts.js';
import type { Journal } from './core/journal.js';
import { DEFAULT_BUDGET } from './core/output.js';
import type { Ansi, Budget } from './core/output.js';
import { absolutePath } from './core/paths.js';
import type { AbsolutePath } from './core/paths.js';
import { DEFAULT_SELECTION } from './core/selection.js';
import type { SandboxSettings } from './core/sandbox-settings.js';
import type { Selection } from './core/selection.js';
import type { Tool } from './core/tool.js';
import type { ToolLimits } from './core/tool-limits.js';
import { DEFAULT_SANDBOX_MODE } from './core/workspace.js';
import { checkTerminalSize } from './core/workspace.js';
import type { Confine, ProcessOwner, Profile, SandboxMode, TerminalSize, Workspace } from './core/workspace.js';
import { workspaceWith } from './core/workspace-with.js';
import { localFiles } from './exec/local-files.js';
import { createLocalWorkspace } from './exec/local-workspace.js';
import type { LocalWorkspace } from './exec/local-workspace.js';
import { realPath } from './exec/real-path.js';
import { createSessions } from './exec/sessions.js';
import type { SessionStore } from './exec/sessions.js';
import { openChangeLog } from './open-history.js';
import { openWebSearch } from './open-web-search.js';
import type { WebSearchSettings } from './open-web-search.js';
import { createArtifactStore } from './journal/artifact-store.js';
import { createCapture } from './pipeline/capture.js';
import { NO_COMMAND_LIMIT, createCommandLimit } from './pipeline/command-limit.js';
import type { CommandLimit } from './pipeline/command-limit.js';
import { createGate } from './pipeline/gate.js';
import { NO_CHANGES, NO_HISTORY } from './pipeline/no-changes.js';
import { createPendingApprovals } from './pipeline/pending-approvals.js';
import { createRegistry } from './pipeline/registry.js';
import { createApprovalMemory } from './pipeline/remember.js';
import type { Pipeline } from './pipeline/run-call.js';
import { DEFAULT_APPROVAL_POLICY } from './policy/approval-policy.js';
import type { ApprovalPolicy } from './policy/approval-policy.js';
import type { Confinement } from './policy/context.js';
import type { RuleStore } from './rules/rules.js';
import { openRules } from './rule-files/open-rules.js';
import { homeFolder, userFolder } from './store/home.js';
import { NO_SANDBOX_REASON, confineInProcess } from './sandbox/confine-in-process.js';
import type { Sandbox } from './sandbox/sandbox.js';
import { builtinTools } from './tools/index.js';

export type RuntimeOptions = {
  /** The workspace folder. Default: the current one. */
  readonly cwd?: string;
  /** Where the user's rules are, and outputs too long for the model. Default: `$TENON_HOME`, else `~/.tenon`. */
  readonly home?: string;
  /** Your own tools, beside the built-in ones. */
  readonly tools?: readonly Tool[];
  /** Default: all of them. Pass a filtered list to leave some out or to make room for one of your own. */
  readonly builtinTools?: readonly Tool[];
  readonly selection?: Partial<Selection>;
  /** How much of one answer the model sees. Default 10,000 tokens. */
  readonly outputBudget?: Budget;
  /** Whether the model sees escape sequences for colours and cursor movement. Default `strip`. */
  readonly outputAnsi?: Ansi;
  /** Default `on-request`. */
  readonly approvalPolicy?: ApprovalPolicy;
  /** Default `workspace-write`. */
  readonly sandboxMode?: SandboxMode;
  /** Refuses what would have to run without a sandbox, instead of asking. Default false. */
  readonly sandboxRequired?: boolean;
  /** What confines commands and to what. */
  readonly sandbox?: SandboxSettings;
  /** Runs each command that is not known to be harmless on a copy first, and asks whether to keep what it changed. */
  readonly preview?: boolean;
  /** Whether what calls replace is kept in `home`, so that it can be taken back. Default true; for this machine only. */
  readonly keepChanges?: boolean;
  /** Answers the questions of the policy. Without one, every question is a no. */
  readonly approver?: Approver;
  /** What becomes of a question that nobody answers. Default: a no after one hour. */
  readonly approvalDeadline?: ApprovalDeadline;
  /** The user's rules, read before the first call is judged. Default: those in the `rules` folder of `home`. */
  readonly rules?: RuleStore;
  /** Writes down what was allowed for good. Default: what `rules` does. */
  readonly keepRules?: KeepRules;
  readonly hooks?: readonly Hook[];
  /** Hear everything from the beginning; `runtime.on` adds more later. */
  readonly listeners?: readonly Listener[];
  /** Decides in place of the built-in policy and its rules. */
  readonly judge?: Judge;
  /** Your own sandbox. It is taken at its word that it confines commands. */
  readonly confine?: Confine;
  readonly journal?: Journal;
  /** Where calls run. Default: this machine. Whoever makes one closes it. */
  readonly workspace?: Workspace & Partial<ProcessOwner>;
  /** Which of your environment variables commands get. */
  readonly environmentPolicy?: EnvironmentPolicy;
  /** False makes every shell a plain one. Default true. */
  readonly allowLoginShell?: boolean;
  /** The size of the terminals that commands get. Default 80 by 24. */
  readonly terminalSize?: TerminalSize;
  /** How much the tools may do in all. */
  readonly toolLimits?: ToolLimits;
  /** A file that every event is added to. Once it cannot be written, no call runs. Default: none. */
  readonly auditLog?: string;
  /** Lets the model search the web. Default: it cannot. */
  readonly webSearch?: WebSearchSettings;
};

export function localWorkspace(options: RuntimeOptions): LocalWorkspace {
  const { home, environmentPolicy, allowLoginShell } = options;
  const cwd = absolutePath(path.resolve(options.cwd ?? process.cwd()));
  return createLocalWorkspace(cwd, {
    untrustedFolders: writtenByCommands(options, cwd),
    // Out of reach of confined commands, unlike the system's folder for temporary files.
    runFolder: path.resolve(home ?? defaultHome(), 'run'),
    ...(environmentPolicy && { environmentPolicy }),
    ...(allowLoginShell !== undefined && { allowLoginShell }),
  });
}

export type RuntimePipeline = Pipeline & {
  readonly sessions: SessionStore;
  readonly history: ChangeHistory;
  readonly closeSandbox: () => Promise<void>;
};

export function createPipeline(options: RuntimeOptions, workspace: Workspace, emit: Pipeline['emit']): RuntimePipeline {
  const profile = profileOf(options, workspace);
  const selection = { ...DEFAULT_SELECTION, ...options.selection };
  const artifacts = artifactsIn(options.home ?? defaultHome());
  const { policy, sandbox } = policyFor(options, profile);
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
    now: () => performance.now(),
    randomHex,
  };
}

function toolsOf(options: RuntimeOptions): readonly Tool[] {
  const search = options.webSearch && openWebSearch(options.webSearch);
  return [...(options.builtinTools ?? builtinTools), ...(search ? [search] : []), ...(options.tools ?? [])];
}

function commandLimitOf(options: RuntimeOptions): CommandLimit {
  const most = limitOf('maxShellCommands', options);
  return most === undefined ? NO_COMMAND_LIMIT : createCommandLimit(most);
}

/** A limit that is no number would hold nothing. */
function limitOf(name: keyof ToolLimits, { toolLimits }: RuntimeOptions): number | undefined {
  const most = toolLimits?.[name];
  if (most === undefined || (Number.isSafeInteger(most) && most >= 0)) return most;
  throw new ConfigError(`toolLimits.${name} has to be a whole number, not ${most}`);
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

/** With full access, commands are as trusted as we are. */
export function writtenByCommands(
  { sandboxMode, sandbox = {} }: RuntimeOptions,
  cwd: AbsolutePath,
): readonly AbsolutePath[] {
  if (sandboxMode === 'danger-full-access') return [];
  return [...writableRoots(cwd, sandbox), ...temporaryRoots(sandbox)];
}

export function profileOf(
  { sandboxMode = DEFAULT_SANDBOX_MODE, sandbox = {} }: RuntimeOptions,
  { cwd }: Pick<Workspace, 'cwd'>,
): Profile {
  return {
    mode: sandboxMode,
    writableRoots: writableRoots(cwd, sandbox),
    network: sandboxMode === 'workspace-write' && (sandbox.network ?? false),
    grants: [],
  };
}

/** The judge and the sandbox know of each other: one says what the other will hold, and that is held to the rules. */
function policyFor(
  options: RuntimeOptions,
  profile: Profile,
  notes = true,
): { readonly policy: PolicyJudge; readonly sandbox: Sandbox } {
  const home = absolutePath(path.resolve(options.home ?? defaultHome()));
  const userHome = absolutePath(path.resolve(options.environmentPolicy?.set['HOME'] ?? userFolder()));
  const sandbox = createLazySandbox({
    settings: sandboxSettingsOf(options),
    home,
    userHome,
    writableRoots: profile.writableRoots,
    rules: () => policy.rules(),
    realPath,
    notes,
  });
  const policy = createJudge({
    approvalPolicy: options.approvalPolicy ?? DEFAULT_APPROVAL_POLICY,
    sandboxMode: profile.mode,
    writableRoots: profile.writableRoots,
    network: profile.network,
    confinement: () => confinementOf(options, profile, sandbox),
    sandboxRequired: options.sandboxRequired ?? false,
    protectedFolders: [home, ...profile.writableRoots.flatMap(protectedIn)],
    home: userHome,
    // Elsewhere than on this machine, paths are what they are called.
    realPath: options.workspace ? (file) => absolutePath(path.resolve(file)) : realPath,
    store: options.rules ?? openRules({ home, userHome: userFolder() }),
  });
  return { policy, sandbox };
}

/** What tools may not write, commands may not either. */
function sandboxSettingsOf(options: RuntimeOptions): SandboxSettings {
  const { sandbox = {} } = options;
  const most = limitOf('maxFileBytes', options);
  if (most === undefined) return sandbox;
  const { limits = {} } = sandbox;
  return { ...sandbox, limits: { ...limits, fileBytes: Math.min(most, limits.fileBytes ?? most) } };
}

/** The sandbox by itself, for who hears its reports. */
export function openSandbox(options: RuntimeOptions, profile: Profile): Sandbox {
  return policyFor(options, profile, false).sandbox;
}

async function confinementOf(options: RuntimeOptions, profile: Profile, sandbox: Sandbox): Promise<Confinement> {
  if (options.confine) return { kind: 'available' };
  if (options.workspace) return { kind: 'none', reason: NO_SANDBOX_REASON };
  // Nobody will ask for one.
  if (profile.mode === 'danger-full-access') return { kind: 'available' };
  return sandbox.confinement(profile);
}

function protectedIn(root: AbsolutePath): readonly AbsolutePath[] {
  return PROTECTED_NAMES.map((name) => absolutePath(path.join(root, name)));
}

const DEFAULT_TERMINAL_SIZE: TerminalSize = { columns: 80, rows: 24 };

const NO_JOURNAL: Journal = { intended: async () => {}, settled: async () => {} };

/** `$TENON_HOME`, else `~/.tenon`. */
export function defaultHome(): AbsolutePath {
  const home = homeFolder();
  if (home === undefined)
    throw new ConfigError(`TENON_HOME must be an absolute path, not ${process.env['TENON_HOME']}`);
  return absolutePath(home);
}

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
