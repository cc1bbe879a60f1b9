import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { familyOverride } from '../../src/config/family-overrides.js';
import { FAMILIES, modelFamily } from '../../src/config/model-families.js';
import type { ModelFamily } from '../../src/config/model-families.js';
import { propertyRuns } from '../support/property-runs.js';

/** One line of a table: what matters most of a family. */
function line({ shellType, patchFace, parallelToolCalls, outputBudget, contextWindow, images }: ModelFamily) {
  const parallel = parallelToolCalls ? 'parallel' : 'serial';
  const seeing = images ? 'images' : 'text';
  return [shellType, patchFace, parallel, `${outputBudget.amount} ${outputBudget.unit}`, contextWindow, seeing];
}

test.each([
  ['o3', ['shell', 'function', 'serial', '10000 bytes', 200_000, 'images']],
  ['o4-mini-2025-04-16', ['shell', 'function', 'serial', '10000 bytes', 200_000, 'images']],
  ['codex-mini-latest', ['local_shell', 'function', 'serial', '10000 bytes', 200_000, 'images']],
  ['gpt-4.1-mini', ['shell', 'function', 'serial', '10000 bytes', 1_047_576, 'images']],
  ['gpt-4o', ['shell', 'function', 'serial', '10000 bytes', 128_000, 'images']],
  ['gpt-3.5-turbo', ['shell', 'function', 'serial', '10000 bytes', 16_385, 'text']],
  ['gpt-oss:120b', ['shell', 'function', 'serial', '10000 bytes', 96_000, 'text']],
  ['test-gpt-5-codex', ['shell_command', 'function', 'parallel', '10000 tokens', 272_000, 'images']],
  ['exp-codex-a', ['shell_command', 'freeform', 'parallel', '10000 tokens', 272_000, 'images']],
  ['exp-b', ['unified_exec', 'freeform', 'parallel', '10000 bytes', 272_000, 'images']],
  ['gpt-5-codex', ['shell_command', 'freeform', 'serial', '10000 tokens', 272_000, 'images']],
  ['gpt-5.1-codex-max', ['shell_command', 'freeform', 'serial', '10000 tokens', 272_000, 'images']],
  ['codex-future', ['shell_command', 'freeform', 'serial', '10000 tokens', 272_000, 'images']],
  ['gpt-5.1', ['shell_command', 'freeform', 'parallel', '10000 bytes', 272_000, 'images']],
  ['gpt-5-mini', ['shell', 'function', 'serial', '10000 bytes', 272_000, 'images']],
  ['gpt-5.5', ['unified_exec', 'freeform', 'parallel', '10000 tokens', 272_000, 'images']],
  ['gpt-6.1-sol', ['unified_exec', 'freeform', 'parallel', '10000 tokens', 272_000, 'images']],
  ['claude-haiku-4-5', ['unified_exec', 'structured', 'parallel', '10000 tokens', 200_000, 'images']],
  ['claude-opus-5-5', ['unified_exec', 'structured', 'parallel', '10000 tokens', 1_000_000, 'images']],
  ['gemini-2.5-pro', ['unified_exec', 'structured', 'parallel', '10000 tokens', 1_048_576, 'images']],
  ['qwen3-coder-plus', ['unified_exec', 'structured', 'parallel', '10000 tokens', 262_144, 'text']],
  ['qwen2.5-coder', ['unified_exec', 'structured', 'parallel', '10000 bytes', undefined, 'text']],
  ['llama3.3', ['unified_exec', 'structured', 'parallel', '10000 bytes', 131_072, 'text']],
  ['llama3', ['unified_exec', 'structured', 'parallel', '10000 bytes', undefined, 'text']],
  ['deepseek-chat', ['unified_exec', 'structured', 'parallel', '10000 tokens', 128_000, 'text']],
  ['devstral-small', ['unified_exec', 'structured', 'parallel', '10000 bytes', 128_000, 'text']],
  ['mistral-nemo', ['unified_exec', 'structured', 'parallel', '10000 bytes', undefined, 'text']],
  ['something-else', ['unified_exec', 'function', 'parallel', '10000 bytes', undefined, 'images']],
])('%s', (model, expected) => {
  expect(line(modelFamily(model))).toEqual(expected);
});

test('reasoning and verbosity are set where a model takes them', () => {
  const asked = ['gpt-5.5', 'gpt-6.1-sol', 'gpt-5', 'gpt-5-codex', 'gpt-4.1', 'claude-opus-5'].map((model) => {
    const { reasoning, verbosity } = modelFamily(model);
    return { reasoning, verbosity };
  });
  expect(asked).toEqual([
    { reasoning: { effort: 'medium' }, verbosity: 'low' },
    { reasoning: { effort: 'low' }, verbosity: 'low' },
    { reasoning: { effort: 'medium', summary: 'auto' }, verbosity: undefined },
    { reasoning: { effort: 'medium', summary: 'auto' }, verbosity: undefined },
    { reasoning: undefined, verbosity: undefined },
    { reasoning: undefined, verbosity: undefined },
  ]);
});

test('a model nobody has heard of is marked as such; no model at all is nothing to warn of', () => {
  expect([modelFamily('something-else').known, modelFamily('').known, modelFamily(undefined).known]).toEqual([
    false,
    false,
    true,
  ]);
  expect(FAMILIES.map(({ family }) => family.known)).not.toContain(false);
});

test('every row can be reached by each of its prefixes', () => {
  const lost = FAMILIES.flatMap(({ prefixes, family }) => prefixes.filter((prefix) => modelFamily(prefix) !== family));
  expect(lost).toEqual([]);
});

describe('the name of a model', () => {
  test.each([
    ['openai/gpt-oss-120b', 'gpt-oss'],
    ['anthropic/claude-sonnet-4.5', 'claude-sonnet-4'],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4'],
    ['bedrock/global.anthropic.claude-opus-4-6-v1', 'claude-opus-4-6'],
    ['models/gemini-2.5-flash', 'gemini'],
    ['hf.co/unsloth/Qwen3-Coder-30B-A3B-Instruct-GGUF:Q4_K_M', 'qwen3-coder'],
    ['meta-llama/Meta-Llama-3.1-8B-Instruct', 'llama-3.1'],
    ['meta.llama3-3-70b-instruct-v1:0', 'llama3-3'],
    ['accounts/fireworks/models/deepseek-v3', 'deepseek'],
    ['/srv/models/gpt-oss-20b.gguf', 'gpt-oss'],
    ['mistralai/devstral-2512:free', 'devstral'],
    ['GPT-5.5', 'gpt-5.5'],
  ])('%s is understood as %s', (model, known) => {
    expect(modelFamily(model)).toBe(modelFamily(known));
    expect(modelFamily(model).known).toBe(true);
  });

  const prefix = fc.constantFrom(...FAMILIES.flatMap(({ prefixes }) => prefixes));
  const owner = fc.stringMatching(/^[a-zA-Z0-9_.:-]{0,12}$/);
  const tag = fc.stringMatching(/^[a-zA-Z0-9_.:-]{0,12}$/);

  test('means the same whoever offers it and whatever its tag is', () => {
    fc.assert(
      fc.property(prefix, fc.array(owner, { maxLength: 3 }), fc.option(tag), (name, owners, version) => {
        const model = [...owners, version === null ? name : `${name}:${version}`].join('/');
        expect(modelFamily(model)).toBe(modelFamily(name));
        expect(modelFamily(model.toUpperCase())).toBe(modelFamily(name));
      }),
      propertyRuns(500),
    );
  });

  test('may be anything at all', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (model) => {
        expect(typeof modelFamily(model).known).toBe('boolean');
      }),
      propertyRuns(500),
    );
  });
});

describe("the user's word", () => {
  test('changes what it names and leaves the rest', () => {
    const overrides = {
      'gpt-5.5': {
        shell_type: 'shell_command',
        apply_patch_tool_type: 'function',
        supports_parallel_tool_calls: false,
        truncation: { mode: 'bytes', limit: 5_000 },
        context_window: 922_000,
        supports_images: false,
      },
    } as const;
    expect(modelFamily('openai/gpt-5.5-pro', overrides)).toEqual({
      known: true,
      shellType: 'shell_command',
      patchFace: 'function',
      outputBudget: { unit: 'bytes', amount: 5_000 },
      parallelToolCalls: false,
      contextWindow: 922_000,
      images: false,
      reasoning: { effort: 'medium' },
      verbosity: 'low',
    });
    expect(modelFamily('gpt-5.4', overrides)).toBe(modelFamily('gpt-5.4'));
  });

  test('makes a model known', () => {
    expect(modelFamily('my-own-7b', { 'my-own': {} })).toEqual({ ...modelFamily('my-own-7b'), known: true });
  });

  test('of two prefixes the longer one counts, and only that', () => {
    const overrides = { gpt: { context_window: 1 }, 'GPT-5': { supports_images: false }, '': { context_window: 2 } };
    expect(familyOverride('gpt-5', overrides)).toEqual({ supports_images: false });
    expect(familyOverride('gpt-4', overrides)).toEqual({ context_window: 1 });
    expect(familyOverride('other', overrides)).toEqual({ context_window: 2 });
  });

  test('may be for one server only', () => {
    const overrides = { 'openrouter/qwen': { context_window: 1 } };
    expect(familyOverride('openrouter/qwen3', overrides)).toEqual({ context_window: 1 });
    expect([familyOverride('qwen3', overrides), familyOverride(undefined, overrides)]).toEqual([undefined, undefined]);
  });

  test('about a prefix like those of objects is taken as any other', () => {
    const overrides = JSON.parse('{"__proto__": {"context_window": 3}}') as Record<string, { context_window: number }>;
    expect(familyOverride('__proto__-1', overrides)).toEqual({ context_window: 3 });
    expect(familyOverride('constructor', {})).toBeUndefined();
  });
});
