/** Servers that many people use, so that nobody has to describe them. */
import { ConfigError } from '../core/errors.js';
import { PLAIN_DIALECT } from '../core/provider.js';
import type { Dialect, Provider } from '../core/provider.js';
import { readBaseUrl } from './base-url.js';
import { AZURE_DIALECT } from './define-provider.js';
import { ollamaBaseUrl } from './ollama-base-url.js';
import type { ProviderSettings } from './provider-schema.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** What is known of a server before the user's own table for it, which is handed in because some of it may depend on that. */
export type Preset = (env: Environment, table: ProviderSettings) => Partial<Provider>;

/** Models that run at home are often small, and write calls into their text. */
const LOCAL_DIALECT: Dialect = { ...PLAIN_DIALECT, textToolCalls: true };

export const PRESETS: Readonly<Record<string, Preset>> = {
  openai: (env, table) => {
    if (table.base_url !== undefined || table.env_key !== undefined) throw new ConfigError(OPENAI_ITSELF);
    return {
      name: 'OpenAI',
      baseUrl: addressIn(env, 'OPENAI_BASE_URL') ?? 'https://api.openai.com/v1',
      wire: 'responses',
      key: { variable: 'OPENAI_API_KEY', help: 'Keys are made at https://platform.openai.com/api-keys.' },
    };
  },
  azure: (env, table) => {
    const endpoint = addressIn(env, 'AZURE_OPENAI_ENDPOINT');
    const baseUrl = table.base_url ?? (endpoint && `${endpoint.replace(/\/+$/, '')}/openai/v1`);
    if (baseUrl === undefined) throw new ConfigError(AZURE_WHERE);
    return {
      name: 'Azure OpenAI',
      baseUrl,
      wire: 'responses',
      key: {
        variable: 'AZURE_OPENAI_API_KEY',
        help: 'It is in the Azure portal, under “Keys and Endpoint” of the resource.',
        header: 'api-key',
      },
      // Addresses from before there was a `v1` have their version in the query.
      query: /\/v1\/*$/.test(baseUrl.split('?', 1)[0] ?? '') ? {} : { 'api-version': '2025-04-01-preview' },
      dialect: AZURE_DIALECT,
    };
  },
  openrouter: () => ({
    name: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    wire: 'chat',
    key: { variable: 'OPENROUTER_API_KEY', help: 'Keys are made at https://openrouter.ai/keys.' },
    dialect: { ...PLAIN_DIALECT, reasoning: true, parallelToolCalls: true },
  }),
  ollama: ({ OLLAMA_HOST: host = '' }) => local('Ollama', host.trim() === '' ? atPort(11_434) : ollamaBaseUrl(host)),
  lmstudio: () => local('LM Studio', atPort(1234)),
  llamacpp: () => local('llama.cpp', atPort(8080)),
  vllm: () => local('vLLM', atPort(8000)),
};

/** Those that run on the user's own machine, in the order in which they are looked for. */
export const LOCAL_PRESETS: readonly string[] = ['ollama', 'lmstudio', 'llamacpp', 'vllm'];

const OPENAI_ITSELF =
  'model_providers.openai is always OpenAI’s own server: give yours another name, or set OPENAI_BASE_URL';
const AZURE_WHERE =
  'model_providers.azure has no base_url: set it to https://NAME.openai.azure.com/openai/v1, ' +
  'or AZURE_OPENAI_ENDPOINT to https://NAME.openai.azure.com';

/** Checked here, because here it is known which variable is wrong. */
function addressIn(env: Environment, variable: string): string | undefined {
  const text = env[variable]?.trim() ?? '';
  if (text === '') return undefined;
  readBaseUrl(text, variable);
  return text;
}

function local(name: string, baseUrl: string): Partial<Provider> {
  return { name, baseUrl, wire: 'chat', dialect: LOCAL_DIALECT };
}

function atPort(port: number): string {
  return `http://127.0.0.1:${port}/v1`;
}
