/** Looks for a model server on this machine, for who wants one without describing it. */
import { ConfigError, messageOf } from '../core/errors.js';
import type { Provider } from '../core/provider.js';
import { createHttpClient } from '../http/http-client.js';
import type { HttpClient } from '../http/http-client.js';
import { HttpError } from '../http/http-error.js';
import { createEndpoint } from './endpoint.js';
import { findProvider } from './find-provider.js';
import type { ProviderQuestion } from './find-provider.js';
import { listModels } from './list-models.js';
import { LOCAL_PRESETS } from './presets.js';

export type LocalQuestion = Omit<ProviderQuestion, 'id'> & {
  readonly version: string;
  /** Only this one. Default: whichever is there. */
  readonly id?: string;
  /** Default: 1 s for each, all at once. */
  readonly timeoutMs?: number;
};

export type LocalServer = {
  readonly provider: Provider;
  readonly models: readonly string[];
  /** The one to use when nobody says which. */
  readonly model: string;
};

type Tried = { readonly provider: Provider; readonly models: readonly string[]; readonly problem?: string };

/** Throws a `ConfigError` that lists what was tried. */
export async function findLocal({ id, timeoutMs = 1000, ...question }: LocalQuestion): Promise<LocalServer> {
  const http = createHttpClient({ env: question.env });
  try {
    const ids = id === undefined ? LOCAL_PRESETS : [id];
    const providers = ids.map((each) => findProvider({ ...question, id: each }));
    const tried = await Promise.all(providers.map((provider) => lookAt(provider, { ...question, http, timeoutMs })));
    for (const { provider, models } of tried) {
      const model = preferred(models);
      if (model !== undefined) return { provider, models, model };
    }
    throw nothingFound(tried);
  } finally {
    http.close();
  }
}

type Means = Pick<LocalQuestion, 'env' | 'version'> & { readonly http: HttpClient; readonly timeoutMs: number };

async function lookAt(provider: Provider, { env, version, http, timeoutMs }: Means): Promise<Tried> {
  const endpoint = createEndpoint({ provider, env, version });
  try {
    const models = await listModels({ http, endpoint, timeoutMs });
    return { provider, models, ...(preferred(models) === undefined && { problem: 'it has no model yet' }) };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const reason = error instanceof HttpError ? (error.reason ?? error.message) : 'no answer';
    return { provider, models: [], problem: endpoint.redact(messageOf(reason)) };
  }
}

/** The models that these tools were made for, else the first that writes text. */
function preferred(models: readonly string[]): string | undefined {
  const writers = models.filter((name) => !/embed|rerank|whisper/i.test(name));
  return writers.find((name) => /gpt-oss/i.test(name)) ?? writers[0];
}

function nothingFound(tried: readonly Tried[]): ConfigError {
  const places = tried.map(({ provider, problem = '' }) => `${provider.name} at ${provider.baseUrl} (${problem})`);
  const isEmpty = tried.some(({ problem }) => problem === 'it has no model yet');
  const advice = isEmpty
    ? 'Load a model into it (with Ollama: ollama pull gpt-oss:20b)'
    : 'Start one (with Ollama: ollama serve), or say where it is in base_url of a table [model_providers.NAME]';
  return new ConfigError(`no model server was found on this machine. Tried: ${places.join(', ')}. ${advice}`);
}
