/** The public API. */
export { defaultHome } from './options.js';
export type { RuntimeOptions } from './options.js';
export { createCommandSandbox } from './command-sandbox.js';
export type { CommandSandbox, CommandSandboxOptions } from './command-sandbox.js';
export type { SandboxBackend, SandboxLimits, SandboxSettings } from './core/sandbox-settings.js';
export { createRuntime } from './create-runtime.js';
export type { CallInput, CallOptions, Runtime, RuntimeSessions } from './create-runtime.js';
export { createSession } from './create-session.js';
export type { AgentSession, ForkOptions, SessionOptions, Turn } from './create-session.js';
export { newSessionId } from './new-session-id.js';
export { openSessions } from './journal/session/store.js';
export { createRecording } from './journal/session/log.js';
export type { KeptSession, LineOf, SessionLine, SessionLog, SessionSummary } from './core/session-log.js';
export { readRecording } from './replay/read-recording.js';
export { replaySession } from './replay/replay-session.js';
export type { ReplayOptions, ReplayResult } from './replay/replay-session.js';
export type { PartSettings } from './replay/play-part.js';
export type { RecordedAct } from './replay/recorded-act.js';
export type { Divergence } from './replay/divergence.js';
export type { SessionFilter, SessionStart as SessionBeginning, SessionStore } from './core/session-store.js';
export { openAgent } from './open-agent.js';
export type { Agent, AgentOptions } from './open-agent.js';
export { createModel } from './model/create-model.js';
export type { ModelOptions } from './model/create-model.js';
export { defineProvider } from './model/define-provider.js';
export { findProvider } from './model/find-provider.js';
export type { SendOptions } from './agent/conversation-api.js';
export type { RequestSettings } from './agent/conversation-setup.js';
export { ModelError, WIRES } from './core/model.js';
export type {
  AnswersEntry,
  Entry as HistoryEntry,
  FailureKind,
  InputEntry,
  Model,
  ModelEvent,
  ModelLimits,
  ModelRequest,
  OutputSchema,
  ReplyEntry,
  ReplyItem,
  Usage,
  Wire,
} from './core/model.js';
export type { Dialect, Provider, ProviderKey } from './core/provider.js';
export type { Price, TurnError, TurnLimits, TurnResult, TurnStatus, UserInput } from './core/turn.js';
export type { ContextSnapshot } from './context/context-entries.js';
export { defineFreeformTool, defineTool } from './core/define-tool.js';
export type { FreeformDefinition, ToolDefinition } from './core/define-tool.js';
export { applyPatch } from './tools/apply-patch.js';
export { viewImage } from './tools/view-image.js';
export { builtinTools } from './tools/index.js';
export { openChangeHistory } from './open-history.js';
export type { HistoryOptions } from './open-history.js';
export { loadConfig, loadSettings } from './config/load-config.js';
export { checkConfig } from './config/check-config.js';
export type { ConfigReport } from './config/check-config.js';
export { saveSetting } from './config/save-setting.js';
export type { SavedSetting, SettingToSave } from './config/save-setting.js';
export type { SaidSetting } from './config/said-settings.js';
export { shownSettings } from './config/shown-settings.js';
export type { Origin, ShownSetting } from './config/shown-settings.js';
export { modelSettings } from './config/model-settings.js';
export type { ModelSettings } from './config/model-settings.js';
export { findProject } from './config/project.js';
export type { Project } from './config/project.js';
export { isTrusted, revokeTrust, trustFolder, trustLevel, trustedFolders } from './config/trust.js';
export type { TrustedFolder } from './config/trust.js';
export type { Config } from './config/config-schema.js';
export { runtimeOptions } from './config/runtime-options.js';
export { Aborted, ConfigError, Fatal, Rejected, ToolFailure } from './core/errors.js';
export { FileProblem } from './core/file-problem.js';
export { answerText } from './core/outcome.js';
export type { AbortedBy, Answer, CallResult, Outcome, RejectedBy } from './core/outcome.js';
export { textOutput } from './core/output.js';
export type {
  Budget,
  Capture,
  Captured,
  ContentPart,
  Kept,
  OutputPart,
  PlainOutput,
  ShownOutput,
  ToolOutput,
} from './core/output.js';
export { endOwnedProcesses } from './exec/end-owned-processes.js';
export { ownedProcesses } from './exec/owned-processes.js';
export type { OwnedProcess, OwnerMark } from './exec/owned-processes.js';
export { absolutePath, resolvePath } from './core/paths.js';
export type { AbsolutePath } from './core/paths.js';
export { describeType } from './core/argument-words.js';
export { commandLine } from './shell/command-line.js';
export { createLocalWorkspace } from './exec/local-workspace.js';
export type { LocalWorkspace, LocalWorkspaceOptions } from './exec/local-workspace.js';
export type { EnvironmentPolicy } from './core/environment-policy.js';
export type { Settings } from './config/load-config.js';
export type { ConfigSource } from './config/read-layers.js';
export type { Override as ConfigOverride } from './config/read-override.js';
export type { ConfiguredOptions } from './config/runtime-options.js';
export { sanitizeParameters } from './core/sanitize-parameters.js';
export { isJsonObject, isTooDeep, parseJson } from './core/json-object.js';
export type { JsonObject } from './core/json-object.js';
export type { JsonSchema, ObjectSchema } from './core/json-schema.js';
export { answeredElsewhere } from './core/approval.js';
export type {
  ApprovalDeadline,
  ApprovalRequest,
  Approvals,
  Approver,
  Decision,
  KeepRules,
  PendingApproval,
} from './core/approval.js';
export type { LocalShellPayload, Payload, ToolCall } from './core/call.js';
export type {
  DecidingRule,
  Effect,
  Finding,
  Grant,
  Intent,
  Judge,
  Permission,
  ProposedRule,
  Verdict,
} from './core/effects.js';
export type { Listener, RuntimeEvent, ToolEvent } from './core/events.js';
export type { Entry, EntryKind, FileChange, Files, FileState, ListedEntry, OpenFile } from './core/files.js';
export type { AfterCall, BeforeCall, Hook } from './core/hook.js';
export type { CallId, SessionId } from './core/ids.js';
export type { Intended, Journal } from './core/journal.js';
export type { Selection, ShellType } from './core/selection.js';
export type { Collected, Session, SessionInfo, SessionStart, Sessions } from './core/sessions.js';
export type {
  Concurrency,
  CustomSpec,
  FunctionSpec,
  HostedSpec,
  Offer,
  Presentation,
  RunScope,
  Tool,
  ToolSpec,
} from './core/tool.js';
export type {
  Command,
  Companion,
  Confine,
  Denial,
  Exit,
  Launch,
  Process,
  ProcessExit,
  ProcessInfo,
  ProcessOwner,
  Profile,
  Program,
  SandboxMark,
  SandboxMode,
  SandboxReport,
  ShellOptions,
  Terminal,
  TerminalSize,
  Workspace,
} from './core/workspace.js';
export type { Rule, RuleStore } from './rules/rules.js';
export { checkRules, openRules } from './rule-files/open-rules.js';
export type { RuleReport } from './rule-files/load-rules.js';
export type { RulePlaces } from './rule-files/open-rules.js';
export type { Confinement, ProbedBackend } from './sandbox/sandbox.js';
export type { Guarantees } from './sandbox/policy.js';
export type { Shortfall } from './sandbox/guarantees.js';
export type { Change, CommitResult, StagedWorkspace } from './core/staging.js';
export type {
  ChangeChoice,
  ChangeDiff,
  ChangedFile,
  ChangeHistory,
  RecordedChange,
  UndoResult,
} from './core/change-log.js';
export type { ApprovalPolicy } from './policy/approval-policy.js';
