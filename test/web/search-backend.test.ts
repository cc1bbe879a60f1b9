import { describe, expect, test } from 'vitest';

import { ConfigError } from '../../src/core/errors.js';
import type { SearchBackendSettings } from '../../src/core/web-search.js';
import { createHttpClient } from '../../src/http/http-client.js';
import { createSearchBackend } from '../../src/web/create-search-backend.js';
import { KEY, backend, failureOf, never, searchServer } from './search-server.js';

const hits = (textKey: string) => [
  { title: 'Fish &amp; <strong>chips</strong>', url: 'https://one.test/a', [textKey]: '<b>Crisp</b>\n  and   hot' },
  { title: '', url: 'http://two.test/', [textKey]: null },
  { title: 'no address', [textKey]: 'left out' },
  { title: 'a script', url: 'javascript:alert(1)', [textKey]: 'left out' },
  { title: 'Third', url: 'https://three.test/', [textKey]: 'x'.repeat(2_000) },
];

const RESULTS = [
  { title: 'Fish & chips', url: 'https://one.test/a', snippet: 'Crisp and hot' },
  { title: 'http://two.test/', url: 'http://two.test/', snippet: '' },
  { title: 'Third', url: 'https://three.test/', snippet: `${'x'.repeat(599)}…` },
];

type Case = {
  readonly kind: string;
  /** An answer with these hits. */
  readonly answer: (list: readonly unknown[]) => unknown;
  readonly textKey: string;
  readonly nothing: unknown;
  /** What the service gets for `fish & chips` and two results. */
  readonly asked: { readonly method: string; readonly url: string; readonly body: string };
  readonly keyHeader?: { readonly name: string; readonly value: string };
};

const CASES: readonly Case[] = [
  {
    kind: 'searxng',
    answer: (results) => ({ query: 'q', number_of_results: 0, results, answers: [] }),
    textKey: 'content',
    nothing: { query: 'q', results: [] },
    asked: { method: 'GET', url: '/below/search?q=fish+%26+chips&format=json', body: '' },
  },
  {
    kind: 'brave',
    answer: (results) => ({ type: 'search', query: { original: 'q' }, web: { type: 'search', results } }),
    textKey: 'description',
    nothing: { type: 'search', query: { original: 'q' } },
    asked: { method: 'GET', url: '/below/res/v1/web/search?q=fish+%26+chips&count=2', body: '' },
    keyHeader: { name: 'x-subscription-token', value: KEY },
  },
  {
    kind: 'tavily',
    answer: (results) => ({ query: 'q', answer: null, results, response_time: 1 }),
    textKey: 'content',
    nothing: { query: 'q', results: [] },
    asked: {
      method: 'POST',
      url: '/below/search',
      body: '{"query":"fish & chips","max_results":2,"search_depth":"basic"}',
    },
    keyHeader: { name: 'authorization', value: `Bearer ${KEY}` },
  },
];

describe.each(CASES)('$kind', ({ kind, answer, textKey, nothing, asked, keyHeader }) => {
  test('is asked as it wants to be, with its key and nothing else that is ours', async () => {
    const { baseUrl, seen } = await searchServer({ json: answer(hits(textKey)) });
    const search = backend({ kind, baseUrl: `${baseUrl}/below` });
    expect(search.host).toBe('127.0.0.1');
    expect(await search.search('fish & chips', { maxResults: 2, signal: never })).toEqual(RESULTS.slice(0, 2));
    const [{ method, url, body, headers } = { headers: {} }] = seen;
    expect({ method, url, body }).toEqual(asked);
    const { host: _, connection: _connection, 'content-length': _length, ...rest } = headers;
    expect(rest).toEqual({
      accept: 'application/json',
      ...(body && { 'content-type': 'application/json' }),
      ...(keyHeader && { [keyHeader.name]: keyHeader.value }),
    });
  });

  test('gives plain text of bounded length, and leaves out what is no web page', async () => {
    const { baseUrl } = await searchServer({ json: answer(hits(textKey)) });
    expect(await backend({ kind, baseUrl }).search('q', { signal: never })).toEqual(RESULTS);
  });

  test('finds nothing where there is nothing', async () => {
    const { baseUrl } = await searchServer({ json: nothing });
    expect(await backend({ kind, baseUrl }).search('q', { signal: never })).toEqual([]);
  });

  test('gives as many results as the user has set, and never more than twenty', async () => {
    const list = Array.from({ length: 60 }, (_, at) => ({ title: `${at}`, url: `https://x.test/${at}` }));
    const { baseUrl } = await searchServer({ json: answer(list) });
    const counts = async (settings: Partial<SearchBackendSettings>, maxResults?: number) =>
      (await backend({ kind, baseUrl, ...settings }).search('q', { maxResults, signal: never })).length;
    expect([await counts({}), await counts({ maxResults: 7 }), await counts({ maxResults: 7 }, 1_000)]).toEqual([
      5, 7, 20,
    ]);
  });

  test('whose answer is another one is told apart from one that found nothing', async () => {
    const said: string[] = [];
    for (const text of ['<html>hello</html>', '', '[]', '{"error":"no"}', '{"results":{}}', '{"web":[]}']) {
      const { baseUrl } = await searchServer({ text });
      said.push(await failureOf(backend({ kind, baseUrl }).search('q', { signal: never })));
    }
    expect(said.filter((each) => !/^ToolFailure: web search failed: what answers at .* is not /.test(each))).toEqual(
      [],
    );
  });
});

test.each([
  ['searxng', 403, 'SearXNG answered with HTTP 403: its settings.yml has to list "json" under search.formats.'],
  ['searxng', 429, 'SearXNG answered with HTTP 429: its limiter stops programs (server.limiter in its settings.yml).'],
  ['searxng', 401, 'SearXNG answered with HTTP 401: it wants a key (env_key).'],
  [
    'searxng',
    404,
    'SearXNG answered with HTTP 404: there is no search at this address; the user has to check base_url.',
  ],
  ['brave', 401, 'Brave Search answered with HTTP 401: it does not take the key.'],
  [
    'brave',
    422,
    'Brave Search answered with HTTP 422: it takes at most 400 characters and 50 words, and a key that it knows.',
  ],
  ['brave', 429, 'Brave Search answered with HTTP 429: that is too many searches at once; wait before the next one.'],
  ['tavily', 432, 'Tavily answered with HTTP 432: what the plan pays for is used up.'],
  ['tavily', 503, 'Tavily answered with HTTP 503: it is out of order.'],
  ['tavily', 418, 'Tavily answered with HTTP 418.'],
])('%s that answers with %i: the model hears what it means', async (kind, status, words) => {
  // Whatever a service repeats is not passed on.
  const { baseUrl } = await searchServer({ status, text: `bad key ${KEY}` });
  expect(await failureOf(backend({ kind, baseUrl }).search('q', { signal: never }))).toBe(
    `ToolFailure: web search failed: ${words} Go on without it, or tell the user.`,
  );
});

test('a redirection is not followed, so that the key stays where the user sent it', async () => {
  const elsewhere = await searchServer({ json: { type: 'search' } });
  const { baseUrl } = await searchServer((response) =>
    response.writeHead(302, { location: `${elsewhere.baseUrl}/` }).end(),
  );
  expect(await failureOf(backend({ kind: 'brave', baseUrl }).search('q', { signal: never }))).toContain(
    'HTTP 302: it is somewhere else; the user has to change base_url.',
  );
  expect(elsewhere.seen).toEqual([]);
});

test('more than two megabytes are not read', async () => {
  const { baseUrl } = await searchServer({ text: `{"results":[${' '.repeat(2_000_001)}]}` });
  expect(await failureOf(backend({ kind: 'searxng', baseUrl }).search('q', { signal: never }))).toBe(
    'ToolFailure: web search failed: SearXNG sent more than 2000000 bytes. Go on without it, or tell the user.',
  );
});

test('an answer that does not end is given up', async () => {
  const { baseUrl } = await searchServer((response) => void response.writeHead(200).write('{"results":'));
  expect(await failureOf(backend({ kind: 'searxng', baseUrl }, 30).search('q', { signal: never }))).toBe(
    'ToolFailure: web search failed: SearXNG gave no answer within 0.03 seconds. Go on without it, or tell the user.',
  );
});

test('a server that is not there is told as such, without the key', async () => {
  const search = backend({ kind: 'brave', baseUrl: 'http://127.0.0.1:1' });
  const said = await failureOf(search.search('q', { signal: never }));
  expect(said).toMatch(/^ToolFailure: web search failed: .*127\.0\.0\.1:1.*refused/);
  expect(said).not.toContain(KEY);
});

test('a search is cancelled while its answer is awaited, and while it comes', async () => {
  const begins: readonly (readonly [string, boolean])[] = [
    ['nothing', false],
    ['a part', true],
  ];
  for (const [, sendsPart] of begins) {
    const controller = new AbortController();
    const reason = new Error('enough');
    const { baseUrl } = await searchServer((response) => {
      if (sendsPart) response.writeHead(200).write('{"results":');
      controller.abort(reason);
    });
    const search = backend({ kind: 'searxng', baseUrl }).search('q', { signal: controller.signal });
    await expect(search).rejects.toBe(reason);
  }
});

test.each([
  ['searxng', 2_000],
  ['brave', 400],
  ['tavily', 400],
])('%s is sent no query of more than %i characters', async (kind, longest) => {
  const { baseUrl, seen } = await searchServer({ json: { type: 'search', results: [] } });
  const search = backend({ kind, baseUrl });
  expect(await failureOf(search.search('x'.repeat(longest + 1), { signal: never }))).toMatch(
    new RegExp(`^ToolFailure: the query has ${longest + 1} characters, and .* takes at most ${longest}\\.`),
  );
  await search.search('x'.repeat(longest), { signal: never });
  expect(seen.length).toBe(1);
});

describe('settings that cannot work are named at once', () => {
  const problemOf = (settings: SearchBackendSettings, env: Record<string, string> = { BRAVE_API_KEY: KEY }): string => {
    try {
      createSearchBackend(settings, { env, http: createHttpClient({ env: {} }) });
      return 'none';
    } catch (error) {
      return error instanceof ConfigError ? error.message : `no ConfigError: ${String(error)}`;
    }
  };

  test.each<[string, SearchBackendSettings, string]>([
    [
      'a kind that is nearly right',
      { kind: 'searxgn' },
      'web_search_backend.kind: there is no search service "searxgn". Did you mean "searxng"?',
    ],
    [
      'a kind of an object’s own',
      { kind: 'constructor' },
      'web_search_backend.kind: there is no search service "constructor". It is one of searxng, brave, tavily.',
    ],
    [
      'SearXNG without an address',
      { kind: 'searxng' },
      'web_search_backend.base_url is missing: SearXNG has no address of its own, say where yours is',
    ],
    [
      'no URL',
      { kind: 'searxng', baseUrl: 'localhost' },
      'web_search_backend.base_url of "searxng" cannot be used: it is no URL',
    ],
    [
      'another protocol',
      { kind: 'searxng', baseUrl: 'ftp://x.test' },
      'web_search_backend.base_url of "searxng" cannot be used: it has to begin with http:// or https://',
    ],
    [
      'a password, which is not repeated',
      { kind: 'searxng', baseUrl: 'https://me:geheim@x.test' },
      'web_search_backend.base_url of "searxng" cannot be used: it must not hold a name or password; put a key into env_key',
    ],
    [
      'a query',
      { kind: 'searxng', baseUrl: 'https://x.test/?a=b' },
      'web_search_backend.base_url of "searxng" cannot be used: it must end before any ? or #',
    ],
    [
      'a key that is missing',
      { kind: 'tavily' },
      'the key for Tavily is missing: set the environment variable TAVILY_API_KEY, or name another one in web_search_backend.env_key',
    ],
    [
      'a variable that is missing',
      { kind: 'brave', envKey: 'MINE' },
      'the key for Brave Search is missing: set the environment variable MINE, or name another one in web_search_backend.env_key',
    ],
    [
      'too many results',
      { kind: 'brave', maxResults: 21 },
      'web_search_backend.max_results has to be a whole number from 1 to 20, not 21',
    ],
  ])('%s', (_, settings, message) => {
    expect(problemOf(settings)).toBe(message);
  });

  test('a key that cannot be sent, which is not repeated', () => {
    expect(problemOf({ kind: 'brave', envKey: 'K' }, { K: 'a\nb' })).toBe(
      'the environment variable K holds characters that no key has; set it again',
    );
  });

  test('what is right is no problem, also a SearXNG behind a key', () => {
    expect([
      problemOf({ kind: 'brave' }),
      problemOf({ kind: 'brave', envKey: 'K' }, { K: ' k\n' }),
      problemOf({ kind: 'searxng', baseUrl: 'https://x.test/searx', envKey: 'K' }, { K: 'k' }),
    ]).toEqual(['none', 'none', 'none']);
  });
});
