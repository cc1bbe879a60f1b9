/** A session over a scripted model, with a runtime that has just the tools of the test. */
import { onTestFinished } from 'vitest';

import { createModel, createSession, defineProvider } from '../../src/index.js';
import type { AgentSession, Model, RuntimeOptions, SessionOptions, Tool } from '../../src/index.js';
import type { Wire } from '../../src/core/model.js';
import type { ModelScript, ScriptedModel, ScriptedRequest } from '../../src/testing/index.js';
import { scriptedModel } from './model-server.js';
import { testRuntime } from './runtime.js';
import type { TestRuntime } from './runtime.js';

export type Agent = {
  readonly send: (...given: Parameters<AgentSession['send']>) => ReturnType<AgentSession['send']>;
  readonly change: (...given: Parameters<AgentSession['change']>) => void;
  readonly runtime: TestRuntime;
  readonly model: Model;
  readonly server: ScriptedModel;
};

export type AgentSettings = {
  readonly tools?: readonly Tool[];
  readonly runtime?: RuntimeOptions;
  /** As in `[model_providers.*]`. */
  readonly provider?: object;
  readonly contextWindow?: number;
  readonly session?: Partial<SessionOptions>;
};

/** The word of somebody who tells no more than needed. */
const INSTRUCTIONS = 'Do as you are told.';

export async function agentOver(wire: Wire, script: ModelScript, settings: AgentSettings = {}): Promise<Agent> {
  const server = await scriptedModel(script);
  const model = modelAt(server, wire, settings);
  const runtime = testRuntime({ tools: settings.tools ?? [], ...settings.runtime });
  const session = createSession({ runtime, model, instructions: INSTRUCTIONS, ...settings.session });
  return {
    send: (...given) => session.send(...given),
    change: (...given) => session.change(...given),
    runtime,
    model,
    server,
  };
}

export function modelAt(
  { baseUrl }: Pick<ScriptedModel, 'baseUrl'>,
  wire: Wire,
  { provider = {}, contextWindow }: AgentSettings = {},
): Model {
  const model = createModel({
    provider: defineProvider('scripted', { base_url: baseUrl, wire_api: wire, dialect: 'openai', ...provider }),
    model: 'scripted-model',
    env: {},
    version: '0.0.0',
    ...(contextWindow !== undefined && { contextWindow }),
  });
  onTestFinished(() => model.close());
  return model;
}

/** The items or messages of a request, the base prompt left out. */
export function sentIn({ wire, body }: ScriptedRequest): readonly Record<string, unknown>[] {
  const list = (wire === 'responses' ? body['input'] : body['messages']) as readonly Record<string, unknown>[];
  return wire === 'responses' ? list : list.slice(1);
}

/** What the tools answered, in the order in which the model reads it. */
export function answersIn(request: ScriptedRequest): readonly (readonly [id: unknown, text: unknown])[] {
  return sentIn(request).flatMap((item) => {
    if (item['role'] === 'tool') return [[item['tool_call_id'], item['content']] as const];
    return String(item['type']).endsWith('_output') ? [[item['call_id'], item['output']] as const] : [];
  });
}

/** What was said, without its wire: who, and the text of it. */
export function saidIn(request: ScriptedRequest): readonly string[] {
  return sentIn(request).flatMap(({ role, content }) => {
    if (role === undefined || role === 'tool' || content === null) return [];
    const parts = typeof content === 'string' ? [{ text: content }] : (content as readonly { text?: string }[]);
    return [`${role as string}: ${parts.map((part) => part.text ?? '(image)').join('|')}`];
  });
}
