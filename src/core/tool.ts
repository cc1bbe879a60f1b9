/**
 * A tool: what the model is told of it, how its payload is read, what running it would touch, and the running.
 * A tool acts only through its scope; it never asks, locks, truncates, logs or confines by itself.
 */
import type { Payload } from './call.js';
import type { Intent } from './effects.js';
import type { ToolEvent } from './events.js';
import type { CallId } from './ids.js';
import type { ObjectSchema } from './json-schema.js';
import type { CallResult } from './outcome.js';
import type { Capture, ToolOutput } from './output.js';
import type { AbsolutePath } from './paths.js';
import type { Selection } from './selection.js';
import type { Sessions } from './sessions.js';
import type { Workspace } from './workspace.js';

export type FunctionSpec = {
  readonly kind: 'function';
  readonly name: string;
  readonly description: string;
  readonly parameters: ObjectSchema;
  readonly strict: boolean;
};

/** A tool whose input is free text, optionally held to a grammar. */
export type CustomSpec = {
  readonly kind: 'custom';
  readonly name: string;
  readonly description: string;
  readonly grammar?: { readonly syntax: 'lark' | 'regex'; readonly text: string };
};

/** A tool that some servers know natively; `lowered` is how the others are told of it. */
export type HostedSpec = {
  readonly kind: 'hosted';
  readonly name: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly lowered?: Omit<FunctionSpec, 'kind' | 'name'>;
};

export type ToolSpec = FunctionSpec | CustomSpec | HostedSpec;

/** Advertised tools are told to the model; callable ones work when a model knows them anyway. */
export type Offer = 'advertised' | 'callable' | 'off';

export type Concurrency = 'shared' | 'exclusive';

export interface Tool<Input = unknown> {
  readonly spec: ToolSpec;
  /** What a model of this selection is told in place of `spec`, under the same name. */
  specFor?(selection: Selection): ToolSpec;
  /** Shared calls overlap; an exclusive one runs alone. A tool may be either, by what it is asked for. */
  readonly concurrency: Concurrency | ((payload: Payload) => Concurrency);
  /** Other names under which older models know the tool. */
  readonly aliases?: readonly string[];
  /** Offered only when the configuration or the model family names it. */
  readonly experimental?: boolean;
  /** A short input that works nearly everywhere, for help pages. */
  readonly example?: string;
  /** When and how to use it, in a sentence or two of the base prompt; read by models that are offered the tool. */
  readonly advice?: string;
  /** Whether this selection wants the tool. Default: advertised. */
  offer?(selection: Selection): Offer;
  /** Payload to typed input; throws a `ToolFailure` for the model to read. */
  parse(payload: Payload): Input;
  /** What running it would touch. Touches nothing itself. */
  intent(input: Input, workspace: Workspace): Intent;
  run(input: Input, scope: RunScope): Promise<ToolOutput>;
  /**
   * Whether all that its run does is to read files and to change some. Then it may begin to read and think while its attempt
   * is being put on record: what it changes waits for that.
   */
  readonly onlyChangesFiles?: true;
  /** How a person sees the call. */
  present?(input: Input): Presentation;
  /** The words a model knows for a cancelled call: with the wall time on a line of its own, as for commands, or not. */
  readonly abortText?: 'wall-time' | 'plain';
}

export type Presentation = {
  readonly title: string;
  readonly command?: string;
  readonly diff?: string;
};

export interface RunScope {
  readonly workspace: Workspace;
  /** Fires when the call is cancelled; a tool that ignores it is left behind after a short grace. */
  readonly signal: AbortSignal;
  /** Milliseconds on a clock that only goes forward. */
  now(): number;
  randomHex(digits: number): string;
  /** Bytes the model may see of this answer; a tool that pages ends its page there. */
  readonly budgetBytes: number;
  /** Opens a sink for streamed output. */
  capture(): Capture;
  /** Programs that may outlive this call. Only what the call's intent said it would type can be typed. */
  readonly sessions: Sessions;
  /** Whether the workspace is confined. */
  readonly confined: boolean;
  readonly callId: CallId;
  /** Which of these files the policy lets be read that the intent did not name, such as what a search comes upon. */
  readable(paths: readonly AbsolutePath[]): Promise<ReadonlySet<AbsolutePath>>;
  emit(event: ToolEvent): void;
  /**
   * Calls another tool as part of this call. It passes the same judge, hooks and journal as any call, and never
   * throws. (The runtime's own `runCall` would wait for this call to end.)
   */
  runCall(name: string, payload: Payload): Promise<CallResult>;
}
