import { describe, expect, test } from 'vitest';

import { ConfigError, modelSettings, runtimeOptions } from '../../src/index.js';

describe('modelSettings', () => {
  test('without any, the provider is known and nothing is limited', () => {
    expect(modelSettings({})).toEqual({
      providerId: 'openai',
      parallelToolCalls: true,
      reasons: false,
      images: true,
      limits: {},
    });
  });

  test('take what is configured', () => {
    expect(
      modelSettings({
        model: 'some-model',
        model_provider: 'box',
        model_reasoning_effort: 'xhigh',
        model_reasoning_summary: 'detailed',
        model_verbosity: 'high',
        model_max_output_tokens: 10,
        model_context_window: 1000,
        model_auto_compact_token_limit: 900,
        parallel_tool_calls: false,
        limits: { requests: 3, wall_seconds: 1.5, tokens: 100, cost_usd: 2 },
        model_prices: { 'some-model': { input: 1, cached_input: 0.1, output: 10 } },
        model_families: { some: { supports_images: false } },
      }),
    ).toEqual({
      model: 'some-model',
      providerId: 'box',
      effort: 'xhigh',
      summary: 'detailed',
      verbosity: 'high',
      maxOutputTokens: 10,
      contextWindow: 1000,
      autoCompactTokens: 900,
      parallelToolCalls: false,
      reasons: true,
      images: false,
      limits: { requests: 3, wallMs: 1500, tokens: 100, costUsd: 2 },
      price: { input: 1, cachedInput: 0.1, output: 10 },
    });
  });

  test('fall back on what is known of the family', () => {
    const { effort, contextWindow, parallelToolCalls } = modelSettings({ model: 'o3' });
    expect({ effort, contextWindow, parallelToolCalls }).toEqual({
      effort: 'medium',
      contextWindow: 200_000,
      parallelToolCalls: false,
    });
    const overridden = { o3: { context_window: 5, supports_parallel_tool_calls: true } };
    expect(modelSettings({ model: 'o3', model_families: overridden })).toMatchObject({
      contextWindow: 5,
      parallelToolCalls: true,
    });
  });

  test.each([
    [{ model: 'm' }, /no price for m: add \[model_prices\.m\]/],
    [{ model: 'a.b' }, /add \[model_prices\."a\.b"\]/],
    [{ model: 'gpt-5.5', model_prices: { 'gpt-5.4': { input: 1, output: 1 } } }, /\(there is one for gpt-5\.4\)/],
    [
      { model: 'a.b', model_prices: { 'a.b': { input: 1 } } },
      /but \[model_prices\."a\.b"\] does not say output: add it, in US dollars/,
    ],
    [{ model: 'm', model_prices: { m: { cached_input: 1 } } }, /does not say input and output: add them/],
    [{}, /needs to know the model/],
    [{ model: 'constructor' }, /no price for constructor/],
  ])('a limit on the cost needs a price: %j', (config, message) => {
    const limited = { ...config, limits: { cost_usd: 1 } };
    expect(() => modelSettings(limited)).toThrow(ConfigError);
    expect(() => modelSettings(limited)).toThrow(message);
  });
});

test('half a price is none, where nobody asks for one', () => {
  expect(modelSettings({ model: 'm', model_prices: { m: { output: 1 } } })).not.toHaveProperty('price');
});

describe('runtimeOptions', () => {
  test('an audit log is kept in the home, or where it is said, which is enough to have one', () => {
    const log = (security: object) => runtimeOptions({ tool_security: security }, '/home/x').auditLog;
    expect([
      log({}),
      log({ audit_log_enabled: true }),
      log({ audit_log_path: '/a.log' }),
      log({ audit_log_enabled: false, audit_log_path: '/a.log' }),
    ]).toEqual([undefined, '/home/x/audit.log', '/a.log', undefined]);
  });

  test('a size is a text or a number of bytes', () => {
    const limits = (size: string | number) =>
      runtimeOptions({ tool_security: { max_file_access_size: size } }).toolLimits;
    expect([limits('1kB'), limits(7)]).toEqual([{ maxFileBytes: 1024 }, { maxFileBytes: 7 }]);
  });

  test('whoever names a search service has it asked, unless the search is switched off', () => {
    const backend = { kind: 'searxng', base_url: 'http://x.example', env_key: 'K', max_results: 3 } as const;
    const asked = { kind: 'searxng', baseUrl: 'http://x.example', envKey: 'K', maxResults: 3 };
    expect(runtimeOptions({ web_search_backend: backend }).webSearch).toEqual({ mode: 'live', backend: asked });
    expect(runtimeOptions({ web_search_backend: { kind: 'brave' }, web_search: 'disabled' }).webSearch).toEqual({
      mode: 'disabled',
      backend: { kind: 'brave' },
    });
    expect(runtimeOptions({ web_search: 'cached' }).webSearch).toEqual({ mode: 'cached' });
  });
});
