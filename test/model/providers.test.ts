import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { safeParse } from 'zod/mini';

import { ConfigError } from '../../src/core/errors.js';
import { FULL_DIALECT, PLAIN_DIALECT } from '../../src/core/provider.js';
import { defineProvider } from '../../src/model/define-provider.js';
import { findProvider } from '../../src/model/find-provider.js';
import { ollamaBaseUrl } from '../../src/model/ollama-base-url.js';
import { PRESETS } from '../../src/model/presets.js';
import { providerSchema } from '../../src/model/provider-schema.js';
import type { ProviderSettings } from '../../src/model/provider-schema.js';
import { propertyRuns } from '../support/property-runs.js';

describe('presets', () => {
  test.each([
    ['openai', 'OpenAI', 'https://api.openai.com/v1', 'responses', 'OPENAI_API_KEY'],
    ['openrouter', 'OpenRouter', 'https://openrouter.ai/api/v1', 'chat', 'OPENROUTER_API_KEY'],
    ['ollama', 'Ollama', 'http://127.0.0.1:11434/v1', 'chat', undefined],
    ['lmstudio', 'LM Studio', 'http://127.0.0.1:1234/v1', 'chat', undefined],
    ['llamacpp', 'llama.cpp', 'http://127.0.0.1:8080/v1', 'chat', undefined],
    ['vllm', 'vLLM', 'http://127.0.0.1:8000/v1', 'chat', undefined],
  ])('%s is %s', (id, ...known) => {
    const { name, baseUrl, wire, key } = findProvider({ id, env: {} });
    expect([name, baseUrl, wire, key?.variable]).toEqual(known);
  });

  test('OpenAI takes all, local servers plain functions and calls in text', () => {
    expect(findProvider({ id: 'openai', env: {} }).dialect).toEqual(FULL_DIALECT);
    expect(findProvider({ id: 'ollama', env: {} }).dialect).toEqual({ ...PLAIN_DIALECT, textToolCalls: true });
  });

  test('OPENAI_BASE_URL says where OpenAI is, and no table does', () => {
    const env = { OPENAI_BASE_URL: ' https://gate.test/openai/ ' };
    expect(findProvider({ id: 'openai', env }).baseUrl).toBe('https://gate.test/openai');
    expect(() => findProvider({ id: 'openai', env: { OPENAI_BASE_URL: 'gate.test' } })).toThrow(
      new ConfigError('OPENAI_BASE_URL is not an address: write it as http://host:port/v1 or https://host/v1'),
    );
    const tables = { openai: { base_url: 'https://evil.test' } };
    expect(() => findProvider({ id: 'openai', tables, env: {} })).toThrow(
      new ConfigError(
        'model_providers.openai is always OpenAI’s own server: give yours another name, or set openai_base_url',
      ),
    );
  });

  test('the setting for it counts more than the variable, and means nothing to others', () => {
    const env = { OPENAI_BASE_URL: 'https://variable.test/v1' };
    const at = (id: string, openaiBaseUrl: string): string => findProvider({ id, openaiBaseUrl, env }).baseUrl;
    expect(at('openai', 'https://setting.test/v1/')).toBe('https://setting.test/v1');
    expect(at('openrouter', 'https://setting.test/v1')).toBe('https://openrouter.ai/api/v1');
    expect(() => at('openai', 'setting.test')).toThrow(
      new ConfigError('openai_base_url is not an address: write it as http://host:port/v1 or https://host/v1'),
    );
  });

  test.each([
    [{ CODEX_API_KEY: 'a', OPENAI_API_KEY: 'b' }, 'CODEX_API_KEY'],
    [{ CODEX_API_KEY: ' ', OPENAI_API_KEY: 'b' }, 'OPENAI_API_KEY'],
    [{}, 'OPENAI_API_KEY'],
  ])('with %j the key of OpenAI is in %s', (env, variable) => {
    const { key } = findProvider({ id: 'openai', env });
    expect(key).toEqual({ variable, help: 'Keys are made at https://platform.openai.com/api-keys.' });
  });

  test('OPENAI_BASE_URL elsewhere leads to a server that takes what all take, unless its table says more', () => {
    const env = { OPENAI_BASE_URL: 'https://gate.test/v1' };
    const at = (dialect?: 'openai'): unknown =>
      findProvider({ id: 'openai', env, tables: { openai: dialect === undefined ? {} : { dialect } } });
    expect(at()).toMatchObject({ wire: 'responses', dialect: PLAIN_DIALECT });
    expect(at('openai')).toMatchObject({ wire: 'responses', dialect: FULL_DIALECT });
    const region = { OPENAI_BASE_URL: 'https://eu.api.openai.com/v1' };
    expect(findProvider({ id: 'openai', env: region }).dialect).toEqual(FULL_DIALECT);
  });

  test('a table of the same name refines a preset', () => {
    const tables = {
      openai: { stream_idle_timeout_ms: 5 },
      ollama: { base_url: 'http://box:1/v1/', text_tool_calls: false },
    };
    expect(findProvider({ id: 'openai', tables, env: {} })).toMatchObject({ name: 'OpenAI', idleMs: 5 });
    expect(findProvider({ id: 'ollama', tables, env: {} })).toMatchObject({
      name: 'Ollama',
      baseUrl: 'http://box:1/v1',
      dialect: PLAIN_DIALECT,
    });
  });

  test.each([
    [{}, { AZURE_OPENAI_ENDPOINT: 'https://a.openai.azure.com/' }, 'https://a.openai.azure.com/openai/v1', {}],
    [{ base_url: 'https://a.openai.azure.com/openai/v1/' }, {}, 'https://a.openai.azure.com/openai/v1', {}],
    [
      { base_url: 'https://a.openai.azure.com/openai' },
      {},
      'https://a.openai.azure.com/openai',
      { 'api-version': '2025-04-01-preview' },
    ],
    [
      { base_url: 'https://a.openai.azure.com/openai?api-version=x' },
      {},
      'https://a.openai.azure.com/openai',
      { 'api-version': 'x' },
    ],
  ])('Azure with %j and %j', (azure, env, baseUrl, query) => {
    expect(findProvider({ id: 'azure', tables: { azure }, env })).toMatchObject({
      baseUrl,
      query,
      wire: 'responses',
      key: { variable: 'AZURE_OPENAI_API_KEY', header: 'api-key' },
      dialect: { ...FULL_DIALECT, hostedTools: [], store: true },
    });
  });

  test('Azure has no place of its own', () => {
    expect(() => findProvider({ id: 'azure', env: {} })).toThrow(/^model_providers\.azure has no base_url: set it to/);
  });
});

describe('tables', () => {
  test('what is not said is plain', () => {
    expect(defineProvider('mine', { base_url: 'http://localhost:9/v1' })).toEqual({
      id: 'mine',
      name: 'mine',
      baseUrl: 'http://localhost:9/v1',
      wire: 'chat',
      headers: {},
      headersFromEnvironment: {},
      query: {},
      requestRetries: 4,
      streamRetries: 5,
      idleMs: 300_000,
      dialect: PLAIN_DIALECT,
    });
  });

  test('what is said counts', () => {
    const settings = {
      name: 'Mine',
      base_url: 'https://me:p%40ss@host.test/v1/chat/completions/?a=1#x',
      env_key: 'MY_KEY',
      env_key_instructions: 'Ask me.',
      wire_api: 'responses',
      http_headers: { 'X-A': '1' },
      env_http_headers: { 'X-B': 'B' },
      query_params: { b: '2' },
      request_max_retries: 0,
      stream_max_retries: 1,
      stream_idle_timeout_ms: 2,
      dialect: 'openai',
      custom_tools: false,
      context_role: 'system',
      text_tool_calls: true,
    } as const;
    expect(safeParse(providerSchema(), settings).success).toBe(true);
    expect(defineProvider('mine', settings)).toEqual({
      id: 'mine',
      name: 'Mine',
      baseUrl: 'https://host.test/v1',
      wire: 'responses',
      key: { variable: 'MY_KEY', help: 'Ask me.' },
      headers: { authorization: `Basic ${Buffer.from('me:p@ss').toString('base64')}`, 'X-A': '1' },
      headersFromEnvironment: { 'X-B': 'B' },
      query: { a: '1', b: '2' },
      requestRetries: 0,
      streamRetries: 1,
      idleMs: 2,
      dialect: { ...FULL_DIALECT, customTools: false, contextRole: 'system', textToolCalls: true },
    });
  });

  test.each([
    ['https://api.openai.com/v1', FULL_DIALECT],
    ['https://a.openai.azure.com/openai', { ...FULL_DIALECT, hostedTools: [], store: true }],
    ['https://api.openai.com.evil.test/v1', PLAIN_DIALECT],
    ['https://evil.test.api.openai.com/v1', PLAIN_DIALECT],
    ['https://notapi.openai.com/v1', PLAIN_DIALECT],
  ])('the server at %s is known by its address', (baseUrl, dialect) => {
    expect(defineProvider('mine', { base_url: baseUrl }).dialect).toEqual(dialect);
  });

  test.each(['localhost:8000/v1', 'ftp://host/v1', 'http://', 'http://me:secret@:x/'])('%s is no address', (url) => {
    expect(() => defineProvider('mine', { base_url: url })).toThrow(
      new ConfigError(
        'model_providers.mine.base_url is not an address: write it as http://host:port/v1 or https://host/v1',
      ),
    );
  });

  test.each<[ProviderSettings, string]>([
    [{}, ' has no base_url: say where its server is'],
    [
      { base_url: 'http://h', http_headers: { 'X-A': 'a\nb' } },
      '.http_headers: the header "X-A" has characters that no header may have',
    ],
    [
      { base_url: 'http://h', env_http_headers: { 'X A': 'B' } },
      '.env_http_headers: the header "X A" has characters that no header may have',
    ],
  ])('%j is refused', (settings, message) => {
    expect(() => defineProvider('mine', settings)).toThrow(new ConfigError(`model_providers.mine${message}`));
  });

  test.each([
    { wire_api: 'grpc' },
    { base_url: 'notaurl' },
    { base_url: '' },
    { request_max_retries: -1 },
    { stream_idle_timeout_ms: 0 },
    { stream_idle_timeout_ms: 3_000_000_000 },
    { http_headers: { a: 1 } },
    { dialect: 'klingon' },
  ])('%j does not fit the schema', (settings) => {
    expect(safeParse(providerSchema(), settings).success).toBe(false);
  });

  test('a name nobody has is told of, with the nearest one', () => {
    expect(() => findProvider({ id: 'olama', tables: { mine: {} }, env: {} })).toThrow(
      new ConfigError(
        'model_provider "olama" is not known. Did you mean "ollama"? There are openai, azure, openrouter, ollama, ' +
          'lmstudio, llamacpp, vllm, mine; others are described in a table [model_providers.NAME]',
      ),
    );
  });

  test.each(['constructor', '__proto__', ''])('%j is no name of a preset', (id) => {
    expect(() => findProvider({ id, env: {} })).toThrow(ConfigError);
  });

  test('any address and any variables lead to a provider without a login in its address, or to an error for the user', () => {
    const piece = fc.constantFrom(
      'http://',
      'https://',
      'a',
      ':',
      '@',
      '/',
      '?',
      '#',
      '[',
      ']',
      '::1',
      '8',
      ' ',
      '%',
      '.',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
        (text) => {
          const env = { OPENAI_BASE_URL: text, AZURE_OPENAI_ENDPOINT: text, OLLAMA_HOST: text };
          for (const id of [...Object.keys(PRESETS), 'mine']) {
            try {
              const { baseUrl } = findProvider({ id, tables: { mine: { base_url: text } }, env });
              expect(new URL(`${baseUrl}/models`)).toMatchObject({ username: '', password: '', search: '', hash: '' });
            } catch (error) {
              expect(error).toBeInstanceOf(ConfigError);
            }
          }
        },
      ),
      propertyRuns(200),
    );
  });
});

test.each([
  ['box', 'http://box:11434/v1'],
  ['box:80', 'http://box:80/v1'],
  [':9', 'http://127.0.0.1:9/v1'],
  ['0.0.0.0', 'http://127.0.0.1:11434/v1'],
  ['0.0.0.0:5', 'http://127.0.0.1:5/v1'],
  ['http://box', 'http://box/v1'],
  ['https://box:1/ollama/', 'https://box:1/ollama/v1'],
  ['[::]:5', 'http://127.0.0.1:5/v1'],
  ['[2001:db8::1]:5', 'http://[2001:db8::1]:5/v1'],
  ['2001:db8::1', 'http://[2001:db8::1]:11434/v1'],
])('OLLAMA_HOST=%s means %s', (host, url) => {
  expect(ollamaBaseUrl(host)).toBe(url);
});
