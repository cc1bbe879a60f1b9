/** From a configuration to an agent that can be spoken to: its server, its model, its tools and what it is told. */
import { readFileSync } from 'node:fs';

import type { Config } from './config/config-schema.js';
import { modelSettings } from './config/model-settings.js';
import type { ModelSettings } from './config/model-settings.js';
import { runtimeOptions } from './config/runtime-options.js';
import { ConfigError, messageOf } from './core/errors.js';
import type { JsonObject } from './core/json-object.js';
import type { Model } from './core/model.js';
import type { Provider } from './core/provider.js';
import type { KeptSession } from './core/session-log.js';
import type { RuntimeOptions } from './options.js';
import { createRuntime } from './create-runtime.js';
import type { Runtime } from './create-runtime.js';
import { createSession } from './create-session.js';
import type { AgentSession, SessionOptions } from './create-session.js';
import { createModel } from './model/create-model.js';
import type { ModelOptions } from './model/create-model.js';
import { findProvider } from './model/find-provider.js';
import { keyVariables, withoutKeys } from './model/without-keys.js';
import { sessionContext } from './session-context.js';

declare const TENON_VERSION: string;

type GivenOptions = Pick<RuntimeOptions, 'rules' | 'approver' | 'listeners' | 'tools' | 'standIn' | 'hooks' | 'home'>;

export type AgentOptions = GivenOptions & {
  readonly config: Config;
  /** The workspace folder. */
  readonly cwd: string;
  /** Further folders that commands may write. */
  readonly addDirs?: readonly string[];
  /** Takes a server of this machine: the one that is named, or whichever is there. */
  readonly oss?: boolean | string;
  /** Where the session is written down, and what was written there before. Default: nowhere. */
  readonly kept?: KeptSession;
  /** Written down with the session, for whoever opens it again. No secrets: it is kept as it is. */
  readonly restore?: JsonObject;
  /** Makes the model that is spoken to. Default: one behind its server. */
  readonly speak?: (options: ModelOptions) => Model;
  /** Where keys and proxies are looked up. Default: the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
};

export interface Agent {
  readonly runtime: Runtime;
  readonly session: AgentSession;
  readonly model: Pick<Model, 'name' | 'provider' | 'wire'>;
  /** Ends everything that the agent has started. */
  close(): Promise<void>;
}

/** Throws a `ConfigError` for whatever is wrong with the settings, before anything is sent. */
export async function openAgent(options: AgentOptions): Promise<Agent> {
  const env = options.env ?? process.env;
  const { provider, config } = await chooseServer(options, env);
  const settings = modelSettings(config);
  const instructions = instructionsOf(config);
  const { speak = createModel } = options;
  const model = speak({
    provider: settings.reasons ? provider : withoutReasoning(provider),
    env,
    version: VERSION,
    model: settings.model ?? '',
    ...(settings.contextWindow !== undefined && { contextWindow: settings.contextWindow }),
  });
  const given = optionsFor(options, config, provider);
  const runtime = createRuntime(given);
  const closing = new AbortController();
  const close = async (): Promise<void> => {
    closing.abort();
    await runtime.close().finally(() => model.close());
    options.kept?.log.close();
  };
  try {
    const warn = (message: string): void => runtime.emit({ type: 'warning.raised', message });
    const { cwd, home, kept, restore } = options;
    const session = createSession({
      runtime,
      model,
      closing: closing.signal,
      ...kept,
      ...(restore && { restore }),
      ...(instructions !== undefined && { instructions }),
      context: sessionContext({ cwd, home, config, given, warn }),
      ...sessionSettings(settings),
    });
    return { runtime, session, model, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Servers refuse what they know of reasoning for models that do none. */
function withoutReasoning(provider: Provider): Provider {
  return { ...provider, dialect: { ...provider.dialect, reasoning: false } };
}

const VERSION = typeof TENON_VERSION === 'undefined' ? '0' : TENON_VERSION;

/** For the one server of which it is known what it has. */
const DEFAULT_MODELS: Readonly<Record<string, string>> = { openai: 'gpt-5.5' };

type Chosen = { readonly provider: Provider; readonly config: Config };

/** The server and a configuration that names its model. */
async function chooseServer(
  { config, oss = false }: AgentOptions,
  env: NonNullable<AgentOptions['env']>,
): Promise<Chosen> {
  const { model_providers: tables = {}, openai_base_url: openaiBaseUrl } = config;
  if (oss !== false) {
    const { findLocal } = await import('./model/find-local.js');
    const id = typeof oss === 'string' ? oss : config.oss_provider;
    const found = await findLocal({ tables, env, version: VERSION, ...(id !== undefined && { id }) });
    return { provider: found.provider, config: { ...config, model: config.model ?? found.model } };
  }
  const { providerId } = modelSettings(withoutCost(config));
  const provider = findProvider({ id: providerId, tables, openaiBaseUrl, env });
  const model = config.model ?? DEFAULT_MODELS[provider.id];
  if (model === undefined || model.trim() === '')
    throw new ConfigError(`${provider.name} has no usual model: name one with -m MODEL, or \`model\` in config.toml`);
  return { provider, config: { ...config, model } };
}

/** Whether the price is known cannot be told before the model is. */
function withoutCost({ limits: _, ...config }: Config): Config {
  return config;
}

function instructionsOf({ model_instructions_file: file }: Config): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`model_instructions_file cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function optionsFor(options: AgentOptions, config: Config, provider: Provider): RuntimeOptions {
  const { cwd, rules, approver, listeners, tools, standIn, hooks, home, addDirs = [] } = options;
  const configured = runtimeOptions(config, home);
  const { sandbox, selection } = configured;
  return {
    // Offered where the server has such a tool of its own, and not otherwise.
    webSearch: { mode: 'cached' },
    ...configured,
    cwd,
    environmentPolicy: withoutKeys(configured.environmentPolicy, secretVariables(config, provider)),
    sandbox: { ...sandbox, writableRoots: [...(sandbox.writableRoots ?? []), ...addDirs] },
    selection: { ...selection, patchFace: patchFaceFor(config, provider, selection.patchFace) },
    ...(rules && { rules }),
    ...(approver && { approver }),
    ...(listeners && { listeners }),
    ...(tools && { tools }),
    ...(standIn && { standIn }),
    ...(hooks && { hooks }),
    ...(home !== undefined && { home }),
  };
}

function secretVariables({ web_search_backend: backend }: Config, provider: Provider): readonly string[] {
  return [...keyVariables(provider), ...(backend?.env_key === undefined ? [] : [backend.env_key])];
}

type PatchFace = NonNullable<NonNullable<RuntimeOptions['selection']>['patchFace']>;

/** Free text that a server cannot take as such is better told as an argument from the start. */
function patchFaceFor(config: Config, { wire, dialect }: Provider, preferred: PatchFace): PatchFace {
  const isTaken = wire === 'responses' && dialect.customTools;
  return preferred === 'freeform' && !isTaken && config.apply_patch_tool_type === undefined ? 'function' : preferred;
}

function sessionSettings(settings: ModelSettings): Pick<SessionOptions, 'settings' | 'limits' | 'price' | 'compactAt'> {
  const { effort, summary, verbosity, maxOutputTokens, parallelToolCalls, limits, price, autoCompactTokens } = settings;
  return {
    settings: {
      parallelToolCalls,
      ...(effort !== undefined && { reasoningEffort: effort }),
      ...(summary !== undefined && summary !== 'none' && { reasoningSummary: summary }),
      ...(verbosity !== undefined && { verbosity }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    },
    limits,
    ...(price && { price }),
    ...(autoCompactTokens !== undefined && { compactAt: autoCompactTokens }),
  };
}
