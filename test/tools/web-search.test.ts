import { describe, expect, test } from 'vitest';

import type { RuntimeOptions } from '../../src/index.js';
import { openWebSearch } from '../../src/open-web-search.js';
import { readRuleFile } from '../../src/rule-files/rule-file.js';
import { createWebSearch } from '../../src/tools/web-search.js';
import { functionCall, testRuntime, textOf } from '../support/runtime.js';
import { backend, searchServer } from '../web/search-server.js';

const RESULT = { title: 'Fish', url: 'https://fish.test/', snippet: 'wet' };

/** A runtime under the default policy whose search service gives these. */
async function searching(
  options: RuntimeOptions & { readonly results?: readonly object[]; readonly ruleFile?: string },
) {
  const { results = [{ ...RESULT, content: RESULT.snippet }], ruleFile = '', ...rest } = options;
  const { baseUrl, seen } = await searchServer({ json: { results } });
  const { rules, problems } = await readRuleFile(ruleFile, { file: 'rules.toml', home: '/home/u' });
  expect(problems).toEqual([]);
  const runtime = testRuntime({
    sandboxMode: 'workspace-write',
    rules: { load: async () => rules },
    webSearch: { mode: 'live', search: backend({ kind: 'searxng', baseUrl }) },
    ...rest,
  });
  const search = async (args: unknown, signal?: AbortSignal) => {
    const call = { id: 'c1', name: 'web_search', payload: functionCall(args) };
    const result = await runtime.runCall(call, signal && { signal });
    return { text: textOf(result), outcome: result.outcome.kind, verdict: runtime.record.of('verdict.reached').at(-1) };
  };
  return { runtime, search, seen };
}

test('the model gets the results as JSON, and listeners get what was asked of whom', async () => {
  const { runtime, search } = await searching({});
  const { text, outcome } = await search({ query: ' fish ' });
  expect({ text, outcome }).toEqual({ text: JSON.stringify([RESULT]), outcome: 'completed' });
  expect(runtime.record.of('call.finished')[0]?.details).toEqual({
    query: 'fish',
    host: '127.0.0.1',
    results: 1,
    leftOut: 0,
  });
});

test('results that do not fit are left out whole, the best stay', async () => {
  const results = Array.from({ length: 20 }, (_, at) => ({
    title: `${at}`,
    url: `https://x.test/${at}`,
    content: 'x'.repeat(500),
  }));
  const { runtime, search } = await searching({ results, outputBudget: { unit: 'bytes', amount: 2_000 } });
  const shown: unknown = JSON.parse((await search({ query: 'q', max_results: 20 })).text);
  expect(shown).toMatchObject([{ title: '0' }, { title: '1' }, { title: '2' }]);
  expect(runtime.record.of('call.finished')[0]?.details).toMatchObject({ results: 3, leftOut: 17 });
});

test('nothing found is an empty list', async () => {
  const { search } = await searching({ results: [] });
  expect((await search({ query: 'q' })).text).toBe('[]');
});

test.each<[string, unknown, RegExp]>([
  ['an empty query', { query: ' \n' }, /^the query is empty\. Say what to search for\./],
  ['an endless query', { query: 'x'.repeat(2_001) }, /^the query has 2001 characters, and at most 2000 are sent\./],
  ['no query', {}, /^failed to parse function arguments: missing field `query`/],
  ['no results', { query: 'q', max_results: 0 }, /^failed to parse function arguments: /],
])('%s is refused before anybody is asked', async (_, args, words) => {
  const { search, seen } = await searching({});
  expect((await search(args)).text).toMatch(words);
  expect(seen).toEqual([]);
});

test('other names for the arguments are understood', async () => {
  const { search, seen } = await searching({});
  await search({ q: 'fish', count: '3' });
  expect(seen.map(({ url }) => url)).toEqual(['/search?q=fish&format=json']);
});

test('a cancelled call ends at once', async () => {
  const controller = new AbortController();
  const { baseUrl } = await searchServer(() => controller.abort());
  const { search } = await searching({
    webSearch: { mode: 'live', search: backend({ kind: 'searxng', baseUrl }) },
  });
  expect((await search({ query: 'q' }, controller.signal)).outcome).toBe('aborted');
});

describe('the policy', () => {
  test.each(['on-request', 'on-failure', 'untrusted', 'always', 'never'] as const)(
    'lets the service be asked without a question under %s, although commands have no network',
    async (approvalPolicy) => {
      const { search } = await searching({ approvalPolicy });
      const { outcome, verdict } = await search({ query: 'q' });
      expect(outcome).toBe('completed');
      expect(verdict).toMatchObject({
        verdict: 'allow',
        rule: { name: 'known-safe' },
        effects: [
          {
            kind: 'remote',
            server: 'web_search',
            tool: 'search',
            host: '127.0.0.1',
            readOnly: true,
            destructive: false,
          },
        ],
      });
    },
  );

  test.each<[string, string, string, RegExp]>([
    [
      'a rule that forbids its host stops it',
      '[[host]]\nhost = "127.0.0.1"\ndecision = "forbidden"\n',
      'deny',
      /^`127\.0\.0\.1` rejected: policy forbids connections to 127\.0\.0\.1\./,
    ],
    [
      'so does one for every host',
      '[[host]]\nhost = "*"\ndecision = "forbidden"\n',
      'deny',
      /rejected: policy forbids/,
    ],
    [
      'a rule that asks about its host asks',
      '[[host]]\nhost = "127.0.0.1"\ndecision = "prompt"\n',
      'ask',
      /policy asks about connections to 127\.0\.0\.1/,
    ],
    [
      'a rule for the tool holds as for those of other servers',
      '[[mcp]]\ntool = "web_search/*"\ndecision = "forbidden"\n',
      'deny',
      /^`web_search\/search` rejected: /,
    ],
    [
      'a rule for another host does not',
      '[[host]]\nhost = "example.com"\ndecision = "forbidden"\n',
      'allow',
      /^\[\{"title":"Fish"/,
    ],
    [
      'nor does one that allows it',
      '[[host]]\nhost = "127.0.0.1"\ndecision = "allow"\n',
      'allow',
      /^\[\{"title":"Fish"/,
    ],
  ])('%s', async (_, ruleFile, verdict, words) => {
    const { search, seen } = await searching({ ruleFile });
    const found = await search({ query: 'q' });
    expect(found.verdict?.verdict).toBe(verdict);
    expect(found.text).toMatch(words);
    expect(seen.length).toBe(verdict === 'allow' ? 1 : 0);
  });
});

describe('a model is told of it', () => {
  const lowered = (runtime: ReturnType<typeof testRuntime>) => runtime.specs('chat');

  test('as of a tool of its own server, which may look at the web only when it is live', () => {
    const specs = (['cached', 'live'] as const).map((mode) => testRuntime({ webSearch: { mode } }).specs('responses'));
    expect(specs).toEqual([
      [{ type: 'web_search', external_web_access: false }],
      [{ type: 'web_search', external_web_access: true }],
    ]);
  });

  test('as of a function where a service can be asked instead', async () => {
    const { runtime } = await searching({});
    expect(lowered(runtime)).toMatchObject([
      {
        type: 'function',
        function: {
          name: 'web_search',
          parameters: {
            properties: { query: { type: 'string' }, max_results: { type: 'number' } },
            required: ['query'],
          },
        },
      },
    ]);
  });

  test('nowhere else, and not at all when it is off', async () => {
    expect(lowered(testRuntime({ webSearch: { mode: 'live' } }))).toEqual([]);
    const { runtime, search } = await searching({ webSearch: { mode: 'disabled' } });
    expect([runtime.specs('responses'), lowered(runtime), (await search({ query: 'q' })).text]).toEqual([
      [],
      [],
      'unsupported call: web_search. Available: none.',
    ]);
  });

  test('and hears why there is none when it asks all the same', async () => {
    const { search } = await searching({ webSearch: { mode: 'live' } });
    expect((await search({ query: 'q' })).text).toMatch(/^web search is not set up here: /);
  });
});

test('settings that cannot work are told when the runtime is made, unless searching is off', () => {
  const opening = (mode: 'live' | 'disabled') => () => openWebSearch({ mode, backend: { kind: 'searxng' } });
  expect(opening('live')).toThrow(/^web_search_backend\.base_url is missing: /);
  expect(opening('disabled')().spec).toEqual(createWebSearch({ mode: 'disabled' }).spec);
});
