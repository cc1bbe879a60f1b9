/** Servers that many people use, so that nobody has to describe them. */
import { ConfigError } from '../core/errors.js';
import { PLAIN_DIALECT } from '../core/provider.js';
import type { Dialect, Provider } from '../core/provider.js';
import { readBaseUrl } from './base-url.js';
import { AZURE_DIALECT } from './define-provider.js';
import { ollamaBaseUrl } from './ollama-base-url.js';
import type { ProviderSettings } from './provider-schema.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** What the user has said already, because some of what is known of a server may depend on that. */
type Said = {
  readonly env: Environment;
  /** The user's own table for it. */
  readonly table: ProviderSettings;
  /** The address of `openai`, which no table may change. */
  readonly openaiBaseUrl?: string | undefined;
};

/** What is known of a server before the user's own table for it. */
export type Preset = (said: Said) => Partial<Provider>;

/** Models that run at home are often small, and write calls into their text. */
const LOCAL_DIALECT: Dialect = { ...PLAIN_DIALECT, textToolCalls: true };

export const PRESETS: Readonly<Record<string, Preset>> = {
  openai: ({ env, table, openaiBaseUrl }) => {
    if (table.base_url !== undefined || table.env_key !== undefined) throw new ConfigError(OPENAI_ITSELF);
    const written = address(openaiBaseUrl, 'openai_base_url') ?? address(env['OPENAI_BASE_URL'], 'OPENAI_BASE_URL');
    return {
      name: 'OpenAI',
      baseUrl: written ?? 'https://api.openai.com/v1',
      wire: 'responses',
      key: { variable: openaiKey(env), help: 'Keys are made at https://platform.openai.com/api-keys.' },
    };
  },
  azure: ({ env, table }) => {
    const endpoint = address(env['AZURE_OPENAI_ENDPOINT'], 'AZURE_OPENAI_ENDPOINT');
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
  ollama: ({ env: { OLLAMA_HOST: host = '' } }) =>
    local('Ollama', host.trim() === '' ? atPort(11_434) : ollamaBaseUrl(host)),
  lmstudio: () => local('LM Studio', atPort(1234)),
  llamacpp: () => local('llama.cpp', atPort(8080)),
  vllm: () => local('vLLM', atPort(8000)),
};

/** Those that run on the user's own machine, in the order in which they are looked for. */
export const LOCAL_PRESETS: readonly string[] = ['ollama', 'lmstudio', 'llamacpp', 'vllm'];

const OPENAI_ITSELF =
  'model_providers.openai is always OpenAI’s own server: give yours another name, or set openai_base_url';
const AZURE_WHERE =
  'model_providers.azure has no base_url: set it to https://NAME.openai.azure.com/openai/v1, ' +
  'or AZURE_OPENAI_ENDPOINT to https://NAME.openai.azure.com';

/** Checked here, because here it is known which setting or variable is wrong. */
function address(written: string | undefined, where: string): string | undefined {
  const text = written?.trim() ?? '';
  if (text === '') return undefined;
  readBaseUrl(text, where);
  return text;
}

/** Who sets the variable of Codex means this program; the other one may be there for all programs. */
function openaiKey({ CODEX_API_KEY: own = '' }: Environment): string {
  return own.trim() === '' ? 'OPENAI_API_KEY' : 'CODEX_API_KEY';
}

function local(name: string, baseUrl: string): Partial<Provider> {
  return { name, baseUrl, wire: 'chat', dialect: LOCAL_DIALECT };
}

function atPort(port: number): string {
  return `http://127.0.0.1:${port}/v1`;
}
