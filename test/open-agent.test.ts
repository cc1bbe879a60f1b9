/** From a configuration to a model that is asked: what is sent to whom, and what is refused before. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';

import { createRuntime, openAgent } from '../src/index.js';
import type { Agent, AgentOptions, Config } from '../src/index.js';
import type { ModelScript, ScriptedModel } from '../src/testing/index.js';
import { recordEvents } from '../src/testing/index.js';
import type { EventRecord } from '../src/testing/index.js';
import { answersIn, saidIn } from './support/agent.js';
import { loopbackServer } from './support/loopback-server.js';
import { scriptedModel } from './support/model-server.js';
import { latch } from './support/runtime.js';
import { tempFolder } from './support/temp-folder.js';

type Opened = Agent & { readonly server: ScriptedModel; readonly record: EventRecord; readonly cwd: string };

const KEY = 'sk-very-secret-0123456789';

async function opened(script: ModelScript, config: Config, options: Partial<AgentOptions> = {}): Promise<Opened> {
  const server = await scriptedModel(script);
  const record = recordEvents();
  const cwd = options.cwd ?? tempFolder();
  const agent = await openAgent({
    cwd,
    home: path.join(cwd, '.home'),
    env: { OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: KEY, SCRIPT_KEY: KEY },
    listeners: [record.listener],
    ...options,
    config: {
      sandbox_mode: 'danger-full-access',
      ...config,
      model_providers: { script: providerAt(server, config) },
    },
  });
  onTestFinished(() => agent.close());
  return { ...agent, server, record, cwd };
}

const SCRIPT: Config = { model: 'some-model', model_provider: 'script' };

describe('before anything is sent', () => {
  const refused: readonly (readonly [what: string, config: Config, words: RegExp])[] = [
    [
      'an unknown provider',
      { ...SCRIPT, model_provider: 'scrip' },
      /model_provider "scrip" is not known\. Did you mean "script"\?/,
    ],
    ['a model that nobody named', { model_provider: 'script' }, /name one with -m MODEL/],
    ['a model without a name', { ...SCRIPT, model: ' ' }, /name one with -m MODEL/],
    ['a cost that nobody can count', { ...SCRIPT, limits: { cost_usd: 1 } }, /no price for some-model/],
    [
      'instructions that are not there',
      { ...SCRIPT, model_instructions_file: '/nowhere/at/all.md' },
      /model_instructions_file/,
    ],
    ['a search service without its key', { ...SCRIPT, web_search_backend: { kind: 'brave' } }, /BRAVE/],
  ];

  test.each(refused)('%s is refused', async (_, config, words) => {
    await expect(opened([], config)).rejects.toThrow(words);
  });

  test('a missing key is refused by its name', async () => {
    await expect(opened([], { model: 'gpt-5.5' }, { env: {} })).rejects.toThrow('OPENAI_API_KEY');
  });

  test('an address that is none is refused', async () => {
    const config: Config = { ...SCRIPT, model_providers: { script: { base_url: 'ftp://nowhere' } } };
    await expect(opened([], config)).rejects.toThrow(/model_providers\.script\.base_url/);
  });
});

test("a server that takes what OpenAI's own takes is told all that it knows", async () => {
  const { session, server } = await opened([{ text: 'Hi.' }], {
    model: 'gpt-5.5',
    model_provider: 'script',
    model_providers: { script: { base_url: '', env_key: 'SCRIPT_KEY', wire_api: 'responses', dialect: 'openai' } },
  });
  expect((await session.send('Hello')).message).toBe('Hi.');
  const { body, headers, path: asked } = await server.request(0);
  expect(asked).toBe('/v1/responses');
  expect(headers['authorization']).toBe(`Bearer ${KEY}`);
  expect(body).toMatchObject({
    model: 'gpt-5.5',
    stream: true,
    store: false,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: session.id,
    parallel_tool_calls: true,
    tool_choice: 'auto',
  });
  const tools = body['tools'] as readonly { type: string; name?: string }[];
  expect(tools.find(({ name }) => name === 'apply_patch')?.type).toBe('custom');
  expect(tools.map(({ type }) => type)).toContain('web_search');
});

test.each(['chat', 'responses'] as const)(
  'a server nobody knows gets plain functions over %s, and no more',
  async (wire) => {
    const providers = { script: { base_url: '', wire_api: wire } };
    const { session, server } = await opened(
      [{ text: 'Hi.' }],
      { ...SCRIPT, model: 'gpt-5.5', model_providers: providers },
      {},
    );
    await session.send('Hello');
    const { body, headers } = await server.request(0);
    expect(Object.keys(headers).toSorted()).toEqual([
      'accept',
      'connection',
      'content-length',
      'content-type',
      'host',
      'user-agent',
    ]);
    const known = {
      chat: ['messages', 'model', 'stream', 'stream_options', 'tool_choice', 'tools'],
      responses: ['input', 'instructions', 'model', 'store', 'stream', 'tool_choice', 'tools'],
    };
    expect(known[wire]).toEqual(expect.arrayContaining(Object.keys(body)));
    const tools = body['tools'] as readonly { type: string }[];
    expect(new Set(tools.map(({ type }) => type))).toEqual(new Set(['function']));
    expect(saidIn(await server.request(0)).every((said) => said.startsWith('user: '))).toBe(true);
  },
);

test('a key is in no event and no error, whatever the server does with it', async () => {
  const fault = { kind: 'status', status: 401, body: { error: { message: `the key ${KEY} is wrong` } } } as const;
  const providers = { script: { base_url: '', env_key: 'SCRIPT_KEY', env_http_headers: { 'x-other': 'SCRIPT_KEY' } } };
  const audit = path.join(tempFolder(), 'audit.log');
  const { session, server, record } = await opened([{ fault }], {
    ...SCRIPT,
    model_providers: providers,
    tool_security: { audit_log_path: audit },
  });
  const result = await session.send('Hello');
  expect((await server.request(0)).headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'x-other': KEY });
  expect(result).toMatchObject({ status: 'failed', error: { kind: 'refused', status: 401 } });
  const recorded = readFileSync(audit, 'utf8');
  expect(recorded).toContain('turn.finished');
  expect(JSON.stringify([result, record.events]) + recorded).not.toContain(KEY);
});

test('the model is told where it is, what it may do, and what AGENTS.md says', async () => {
  const cwd = tempFolder();
  mkdirSync(path.join(cwd, '.git'));
  writeFileSync(path.join(cwd, 'AGENTS.md'), 'Speak in rhymes.');
  const { session, server } = await opened(
    [{ text: 'Hi.' }, { text: 'Bye.' }],
    { ...SCRIPT, developer_instructions: 'Be kind.' },
    { cwd },
  );
  await session.send('Hello');
  await session.send('Bye');
  const said = saidIn(await server.request(1));
  expect(said.map((text) => /^user: (<[\w ]+>|# [\w.]+|.{0,10})/.exec(text)?.[1])).toEqual([
    '<permissions instructions>',
    'Be kind.',
    '# AGENTS.md',
    '<environment_context>',
    'Hello',
    undefined,
    'Bye',
  ]);
  expect(said[2]).toContain('Speak in rhymes.');
  expect(said[3]).toContain(`<cwd>${cwd}</cwd>`);
});

test('calls that a weak model writes as text run when its provider is marked for it', async () => {
  const text = 'I will look.\n<tool_call>{"name": "list_dir", "arguments": {"path": "."}}</tool_call>';
  const providers = { script: { base_url: '', text_tool_calls: true } };
  const { session, server, cwd } = await opened([{ text }, { text: 'One file.' }], {
    ...SCRIPT,
    model_providers: providers,
  });
  writeFileSync(path.join(cwd, 'found.txt'), '');
  expect((await session.send('Look')).message).toBe('One file.');
  const [answer] = answersIn(await server.request(1));
  expect(answer?.[1]).toContain('found.txt');
});

test('where the server has no search, a service that the user named is asked', async () => {
  const results = [{ title: 'Tenon', url: 'https://example.com/', content: 'A joint.' }];
  const { port, requests } = await loopbackServer(JSON.stringify({ results }));
  const { session, server } = await opened(
    [{ calls: [{ name: 'web_search', arguments: { query: 'what is a tenon' }, callId: 'one' }] }, { text: 'A joint.' }],
    { ...SCRIPT, web_search_backend: { kind: 'searxng', base_url: `http://127.0.0.1:${port}` } },
  );
  expect((await session.send('Search')).message).toBe('A joint.');
  expect(requests).toEqual(['127.0.0.1 GET /search?q=what+is+a+tenon&format=json']);
  const [, text] = answersIn(await server.request(1))[0] ?? [];
  expect(JSON.parse(String(text))).toEqual([{ title: 'Tenon', url: 'https://example.com/', snippet: 'A joint.' }]);
});

test('a tool of the model that is not there is not offered', async () => {
  const { session, server } = await opened([{ text: 'Hi.' }], {
    ...SCRIPT,
    model_families: { some: { supports_images: false } },
  });
  await session.send('Hello');
  const tools = (await server.request(0)).body['tools'] as readonly { function: { name: string } }[];
  const names = tools.map((tool) => tool.function.name);
  expect(names).not.toContain('web_search');
  expect(names).not.toContain('view_image');
  expect(names).toContain('exec_command');
  expect(createRuntime({ builtinTools: [] }).advertised).toEqual([]);
});

test('an agent that is closed asks nothing more, whatever its turn was about', async () => {
  const never = latch();
  const turn = { text: 'I was about to say…', hold: never.opened, holdAt: { afterEvents: 2 } };
  const agent = await opened([turn, turn, turn, turn, turn, turn], SCRIPT);
  const sent = agent.session.send('Hello');
  await agent.server.request(0);
  await agent.close();
  expect(await sent).toMatchObject({ status: 'interrupted', requests: 1 });
});

/** Where the script is, unless the test says otherwise. */
function providerAt({ baseUrl }: ScriptedModel, { model_providers: providers }: Config) {
  const { base_url: given, ...settings } = providers?.['script'] ?? {};
  return { ...settings, base_url: given || baseUrl };
}
