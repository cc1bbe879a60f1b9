/** The composition root: puts the parts together and hands out the runtime. */
import { setMaxListeners } from 'node:events';

import { createPipeline, localWorkspace } from './create-pipeline.js';
import type { RuntimeOptions } from './options.js';
import type { Approvals } from './core/approval.js';
import type { Payload } from './core/call.js';
import type { ChangeChoice, ChangeHistory, UndoResult } from './core/change-log.js';
import type { Intent, Verdict } from './core/effects.js';
import type { Emit, Listener } from './core/events.js';
import { callId } from './core/ids.js';
import { inBoth } from './core/journal.js';
import type { Journal } from './core/journal.js';
import type { JsonObject } from './core/json-object.js';
import type { Wire } from './core/model.js';
import { once } from './core/once.js';
import type { Answer, CallResult } from './core/outcome.js';
import type { SessionInfo } from './core/sessions.js';
import type { Tool, ToolSpec } from './core/tool.js';
import { checkTerminalSize } from './core/workspace.js';
import type { ProcessInfo, TerminalSize } from './core/workspace.js';
import { openAudit } from './open-audit.js';
import { createEmitter } from './pipeline/emitter.js';
import { chatAnswer } from './wire/chat-answer.js';
import { chatTool } from './wire/chat-tool.js';
import { responsesAnswer } from './wire/responses-answer.js';
import { responsesTool } from './wire/responses-tool.js';

/** How each API spells tools and answers. */
const SPELLING = {
  responses: { tool: responsesTool, answer: responsesAnswer },
  chat: { tool: chatTool, answer: chatAnswer },
} as const satisfies Record<Wire, unknown>;

export type CallInput = { readonly id?: string; readonly name: string; readonly payload: Payload };

export type CallOptions = {
  readonly signal?: AbortSignal;
  /** Names the turn of the model that the call belongs to. Default: all calls of a runtime are one turn. */
  readonly turn?: string;
  /** Keeps a record of this call, beside the one of the runtime. */
  readonly journal?: Journal;
};

export interface Runtime {
  /** Every tool that can be called, sorted by name. */
  readonly tools: readonly Tool[];
  /** What the model is told, in the words of its wire; the same bytes every time. */
  specs(wire: Wire): readonly JsonObject[];
  /** The same tools before they are spelled for a wire. */
  offered(wire: Wire): readonly ToolSpec[];
  /** What a model may be told of, whatever its wire makes of it. */
  readonly advertised: readonly ToolSpec[];
  /** Takes a call through the whole pipeline. Never throws: whatever happens is in the result. */
  runCall(call: CallInput, options?: CallOptions): Promise<CallResult>;
  /**
   * Takes a name for a call, so that whoever listens can tell it from those of others who use this runtime; false when
   * one of them has it already.
   */
  reserve(callId: string): boolean;
  /** A call may come soon: what the first command would have to wait for is begun, once. */
  getReady(): void;
  /** What the policy says to an intent, without asking anybody or doing anything. */
  explain(intent: Intent): Promise<Verdict>;
  /** The item or message that carries an answer back. */
  answerItem(wire: Wire, answer: Answer): JsonObject;
  /** Hears every event from now on; the returned function ends that. */
  on(listener: Listener): () => void;
  /** Tells everybody who listens, for whoever has a loop around the runtime. */
  readonly emit: Emit;
  /** Commands that go on after their call was answered. */
  readonly sessions: RuntimeSessions;
  /** Questions that wait for an answer, which may come from here as well as from the approver. */
  readonly approvals: Approvals;
  /** What calls have changed in this workspace, those of earlier runtimes included. */
  readonly changes: Pick<ChangeHistory, 'list' | 'diff'>;
  /** Takes back what a call or a turn did to files, by default the latest call; waits until no call runs. */
  undo(choice?: ChangeChoice): Promise<UndoResult>;
  /** Takes back the latest undo. */
  redo(): Promise<UndoResult>;
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
  const workspace = options.workspace ?? localWorkspace(options);
  const audit = openAudit(options, workspace);
  const emitter = createEmitter([...(audit ? [audit.listener] : []), ...(options.listeners ?? [])]);
  const pipeline = createPipeline(audit ? audit.over(options) : options, workspace, emitter.emit);
  const { sessions, pending, history } = pipeline;
  // Loaded with the first call, and by one promise for all, so that calls begin in their order.
  const spine = once(() => import('./pipeline/run-call.js'));
  const running = new Map<AbortController, Promise<CallResult>>();
  const reserved = new Set<string>();
  const ownTurn = `turn-${Date.now().toString(36)}-${process.pid}`;
  let closed = false;
  let isReady = false;
  let calls = 0;

  /** While nothing else changes files. */
  const alone = <Value>(work: () => Promise<Value>): Promise<Value> =>
    pipeline.gate.pass({ concurrency: 'exclusive', signal: new AbortController().signal }, work);

  return {
    tools: pipeline.registry.tools,
    advertised: pipeline.registry.specs,
    emit: emitter.emit,
    offered: (wire) => pipeline.registry.specs.filter((spec) => SPELLING[wire].tool(spec) !== undefined),
    specs: (wire) => pipeline.registry.specs.map(SPELLING[wire].tool).filter((spec) => spec !== undefined),
    async runCall({ id, name, payload }, { signal, turn = ownTurn, journal } = {}) {
      const controller = new AbortController();
      // A tool may start any number of programs that listen to it.
      setMaxListeners(0, controller.signal);
      const unlink = linkAbort(signal, controller);
      if (closed) controller.abort();
      calls += 1;
      const call = { id: callId(id ?? `call_${calls}`), name, payload };
      const parts = journal ? { ...pipeline, journal: inBoth(pipeline.journal, journal) } : pipeline;
      // Known as running before its first event is heard, because a listener may close the runtime.
      const result = spine().then(({ runCall }) => runCall(call, { signal: controller.signal, turn }, parts));
      running.set(controller, result);
      try {
        return await result;
      } finally {
        running.delete(controller);
        unlink();
      }
    },
    reserve: (id) => reserved.size < reserved.add(id).size,
    getReady() {
      if (closed || isReady) return;
      isReady = true;
      // What cannot be loaded is told of by the call that needs it.
      spine().catch(() => {});
      pipeline.getReady();
    },
    explain: async (intent) => pipeline.judge(intent, []),
    answerItem: (wire, answer) => SPELLING[wire].answer(answer),
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
    changes: { list: () => history.list(), diff: (choice) => history.diff(choice) },
    undo: (choice) => alone(() => history.undo(choice)),
    redo: () => alone(() => history.redo()),
    approvals: { list: () => pending.list(), answer: (id, decision) => pending.answer(id, decision) },
    processes: async () => (await workspace.processes?.()) ?? [],
    async close() {
      closed = true;
      for (const controller of running.keys()) controller.abort();
      await Promise.all(running.values());
      // All at once first; what then remains for the sessions is to hear of it.
      if (options.workspace === undefined) await workspace.close?.();
      await sessions.close();
      await pipeline.closeSandbox();
      audit?.close();
    },
  };
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
