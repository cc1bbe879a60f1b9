/** The composition root: puts the parts together and hands out the runtime. Everything it uses can be replaced. */
import { setMaxListeners } from 'node:events';
import path from 'node:path';

import { createJudge } from './create-judge.js';
import type { PolicyJudge } from './create-judge.js';
import type { ApprovalDeadline, Approvals, Approver, KeepRules } from './core/approval.js';
import type { Payload } from './core/call.js';
import type { Intent, Judge, Verdict } from './core/effects.js';
import type { EnvironmentPolicy } from './core/environment-policy.js';
import { ConfigError } from './core/errors.js';
import type { Listener } from './core/events.js';
import type { Hook } from './core/hook.js';
import { callId } from './core/ids.js';
import type { ArtifactStore } from './core/artifacts.js';
import type { Journal } from './core/journal.js';
import type { JsonObject } from './core/json-object.js';
import type { Answer, CallResult } from './core/outcome.js';
import { DEFAULT_BUDGET } from './core/output.js';
import type { Ansi, Budget } from './core/output.js';
import { absolutePath } from './core/paths.js';
import type { AbsolutePath } from './core/paths.js';
import { DEFAULT_SELECTION } from './core/selection.js';
import type { Selection } from './core/selection.js';
import type { SessionInfo } from './core/sessions.js';
import type { Tool, ToolSpec } from './core/tool.js';
import { DEFAULT_SANDBOX_MODE } from './core/workspace.js';
import { checkTerminalSize } from './core/workspace.js';
import type {
  Confine,
  ProcessInfo,
  ProcessOwner,
  Profile,
  SandboxMode,
  TerminalSize,
  Workspace,
} from './core/workspace.js';
import { localFiles } from './exec/local-files.js';
import { createLocalWorkspace } from './exec/local-workspace.js';
import type { LocalWorkspace } from './exec/local-workspace.js';
import { realPath } from './exec/real-path.js';
import { createSessions } from './exec/sessions.js';
import type { SessionStore } from './exec/sessions.js';
import { createArtifactStore } from './journal/artifact-store.js';
import { createCapture } from './pipeline/capture.js';
import { createEmitter } from './pipeline/emitter.js';
import { createGate } from './pipeline/gate.js';
import { createPendingApprovals } from './pipeline/pending-approvals.js';
import { createRegistry } from './pipeline/registry.js';
import { createApprovalMemory } from './pipeline/remember.js';
import { runCall } from './pipeline/run-call.js';
import type { Pipeline } from './pipeline/run-call.js';
import { DEFAULT_APPROVAL_POLICY } from './policy/approval-policy.js';
import type { ApprovalPolicy } from './policy/approval-policy.js';
import type { RuleStore } from './rules/rules.js';
import { openRules } from './rule-files/open-rules.js';
import { homeFolder, userFolder } from './store/home.js';
import { NO_SANDBOX_REASON, confineInProcess } from './sandbox/confine-in-process.js';
import { builtinTools } from './tools/index.js';
import { chatAnswer, chatTool } from './wire/chat.js';
import { responsesAnswer, responsesTool } from './wire/responses.js';

/** How each API spells tools and answers. */
const WIRES = {
  responses: { tool: responsesTool, answer: responsesAnswer },
  chat: { tool: chatTool, answer: chatAnswer },
} as const;

export type Wire = keyof typeof WIRES;

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
};

export type CallInput = { readonly id?: string; readonly name: string; readonly payload: Payload };

export interface Runtime {
  /** Every tool that can be called, sorted by name. */
  readonly tools: readonly Tool[];
  /** What the model is told, in the words of its wire; the same bytes every time. */
  specs(wire: Wire): readonly JsonObject[];
  /** The same tools before they are spelled for a wire. */
  offered(wire: Wire): readonly ToolSpec[];
  /** Takes a call through the whole pipeline. Never throws: whatever happens is in the result. */
  runCall(call: CallInput, options?: { readonly signal?: AbortSignal }): Promise<CallResult>;
  /** What the policy says to an intent, without asking anybody or doing anything. */
  explain(intent: Intent): Promise<Verdict>;
  /** The item or message that carries an answer back. */
  answerItem(wire: Wire, answer: Answer): JsonObject;
  /** Hears every event from now on; the returned function ends that. */
  on(listener: Listener): () => void;
  /** Commands that go on after their call was answered. */
  readonly sessions: RuntimeSessions;
  /** Questions that wait for an answer, which may come from here as well as from the approver. */
  readonly approvals: Approvals;
  /** Every process that a call started and that still runs, children of children included. */
  processes(): Promise<readonly ProcessInfo[]>;
  /** Cancels what is running, ends every process that a call has left behind, and resolves when that is done. */
  close(): Promise<void>;
}

export interface RuntimeSessions {
  /** The least recently used first. */
  list(): readonly SessionInfo[];
  /** False when there is no such session, or no program in a terminal. Throws a `RangeError` for what is no size. */
  resize(id: number, size: TerminalSize): boolean;
  /** Ends its command with everything that one started. False when there is no such session. */
  end(id: number): Promise<boolean>;
}

export function createRuntime(options: RuntimeOptions = {}): Runtime {
  const emitter = createEmitter(options.listeners ?? []);
  const workspace = options.workspace ?? localWorkspace(options);
  const pipeline = createPipeline(options, workspace, emitter.emit);
  const { sessions, pending } = pipeline;
  const running = new Map<AbortController, Promise<CallResult>>();
  let closed = false;
  let calls = 0;

  return {
    tools: pipeline.registry.tools,
    offered: (wire) => pipeline.registry.specs.filter((spec) => WIRES[wire].tool(spec) !== undefined),
    specs: (wire) => pipeline.registry.specs.map(WIRES[wire].tool).filter((spec) => spec !== undefined),
    async runCall({ id, name, payload }, { signal } = {}) {
      const controller = new AbortController();
      // A tool may start any number of programs that listen to it.
      setMaxListeners(0, controller.signal);
      const unlink = linkAbort(signal, controller);
      if (closed) controller.abort();
      calls += 1;
      const call = { id: callId(id ?? `call_${calls}`), name, payload };
      // Known as running before its first event is heard, because a listener may close the runtime.
      const result = Promise.resolve().then(() => runCall(call, controller.signal, pipeline));
      running.set(controller, result);
      try {
        return await result;
      } finally {
        running.delete(controller);
        unlink();
      }
    },
    explain: async (intent) => pipeline.judge(intent, []),
    answerItem: (wire, answer) => WIRES[wire].answer(answer),
    on: (listener) => emitter.subscribe(listener),
    sessions: {
      list: () => sessions.list(),
      resize(id, size) {
        checkTerminalSize(size);
        const session = sessions.find(id);
        session?.resize(size);
        return session !== undefined && session.info.tty && session.info.running;
      },
      async end(id) {
        const session = sessions.find(id);
        await session?.end();
        return session !== undefined;
      },
    },
    approvals: { list: () => pending.list(), answer: (id, decision) => pending.answer(id, decision) },
    processes: async () => (await workspace.processes?.()) ?? [],
    async close() {
      closed = true;
      for (const controller of running.keys()) controller.abort();
      await Promise.all(running.values());
      // All at once first; what then remains for the sessions is to hear of it.
      if (options.workspace === undefined) await workspace.close?.();
      await sessions.close();
    },
  };
}

function localWorkspace({ cwd, environmentPolicy, allowLoginShell }: RuntimeOptions): LocalWorkspace {
  return createLocalWorkspace(absolutePath(path.resolve(cwd ?? process.cwd())), {
    ...(environmentPolicy && { environmentPolicy }),
    ...(allowLoginShell !== undefined && { allowLoginShell }),
  });
}

function createPipeline(
  options: RuntimeOptions,
  workspace: Workspace,
  emit: Pipeline['emit'],
): Pipeline & { readonly sessions: SessionStore } {
  const mode = options.sandboxMode ?? DEFAULT_SANDBOX_MODE;
  const profile: Profile = { mode, writableRoots: [workspace.cwd], network: false, grants: [] };
  const selection = { ...DEFAULT_SELECTION, ...options.selection };
  const artifacts = artifactsIn(options.home ?? defaultHome());
  const policy = policyFor(options, profile);
  const outputAnsi = options.outputAnsi ?? 'strip';
  return {
    emit,
    workspace,
    profile,
    registry: createRegistry([...(options.builtinTools ?? builtinTools), ...(options.tools ?? [])], selection, emit),
    gate: createGate(),
    hooks: options.hooks ?? [],
    judge: options.judge ?? policy.judge,
    approve: options.approver,
    pending: createPendingApprovals(options.approvalDeadline),
    keep: options.keepRules ?? (options.judge ? undefined : policy.keep),
    memory: createApprovalMemory(),
    confine: options.confine ?? confineInProcess,
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

function policyFor(options: RuntimeOptions, { mode, writableRoots, network }: Profile): PolicyJudge {
  const home = path.resolve(options.home ?? defaultHome());
  return createJudge({
    approvalPolicy: options.approvalPolicy ?? DEFAULT_APPROVAL_POLICY,
    sandboxMode: mode,
    writableRoots,
    network,
    confinement: options.confine ? { kind: 'available' } : { kind: 'none', reason: NO_SANDBOX_REASON },
    sandboxRequired: options.sandboxRequired ?? false,
    protectedFolders: [absolutePath(home), ...writableRoots.flatMap(protectedIn)],
    home: absolutePath(path.resolve(options.environmentPolicy?.set['HOME'] ?? userFolder())),
    // Elsewhere than on this machine, paths are what they are called.
    realPath: options.workspace ? (file) => absolutePath(path.resolve(file)) : realPath,
    store: options.rules ?? openRules({ home, userHome: userFolder() }),
  });
}

/** What is in these decides what may run, or runs by itself, next time. */
function protectedIn(root: AbsolutePath): readonly AbsolutePath[] {
  return ['.tenon', '.git', '.codex', '.agents'].map((name) => absolutePath(path.join(root, name)));
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

/** One signal may cancel a whole turn of parallel calls, which is no leak. */
function linkAbort(signal: AbortSignal | undefined, controller: AbortController): () => void {
  if (signal === undefined) return () => {};
  const abort = (): void => controller.abort();
  if (signal.aborted) abort();
  setMaxListeners(0, signal);
  signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}
