/** The published SDK of Codex, unchanged, with our program in the place of its own: its clients need only point here. */
import path from 'node:path';
import { Codex } from '@openai/codex-sdk';
import type { Thread, ThreadEvent, ThreadOptions } from '@openai/codex-sdk';
import { describe, expect, test } from 'vitest';

import type { ScriptedCall, ScriptedRequest } from '../src/testing/index.js';
import { saidIn } from './support/agent.js';
import { PROGRAM } from './support/cli.js';
import { CLIENT_KEY, ONE_PIXEL, codexClient, imageIn, programsOf } from './support/codex-client.js';
import { scriptedModel } from './support/model-server.js';
import { latch } from './support/runtime.js';
import { tempFolder } from './support/temp-folder.js';
import { until } from './support/until.js';

/** A server that takes all that OpenAI's takes, so that requests show all settings. */
const ALL_IS_SENT = { model_providers: { openai: { dialect: 'openai' } } };

function command(cmd: string): ScriptedCall {
  return { name: 'exec_command', arguments: { cmd, login: false }, callId: 'c1' };
}

async function eventsOf(thread: Thread, prompt: string): Promise<readonly ThreadEvent[]> {
  const { events } = await thread.runStreamed(prompt);
  const heard: ThreadEvent[] = [];
  for await (const event of events) heard.push(event);
  return heard;
}

/** What was said in a request, without what the program itself tells the model. */
function talkIn(request: ScriptedRequest): readonly string[] {
  return saidIn(request).filter((text) => !/^\w+: <(?!image)/.test(text));
}

test('run gives the answer, all that led to it and what it took', async () => {
  const { codex, options, model, cwd } = await codexClient([
    { reasoning: 'Look first.', text: 'I look.', calls: [command('echo hi | tee made; exit 3')] },
    { text: 'Done.', usage: { input: 7, output: 2, cached: 5 } },
  ]);
  const thread = codex.startThread(options);
  expect(thread.id).toBe(null);
  const { items, finalResponse, usage } = await thread.run('do it');
  expect(finalResponse).toBe('Done.');
  expect(items).toEqual([
    { id: expect.any(String), type: 'reasoning', text: 'Look first.' },
    { id: expect.any(String), type: 'agent_message', text: 'I look.' },
    expect.objectContaining({
      type: 'file_change',
      changes: [{ path: path.join(cwd, 'made'), kind: 'add' }],
      status: 'completed',
    }),
    expect.objectContaining({
      type: 'command_execution',
      command: expect.stringContaining('echo hi | tee made; exit 3'),
      aggregated_output: 'hi\n',
      exit_code: 3,
      status: 'failed',
    }),
    { id: expect.any(String), type: 'agent_message', text: 'Done.' },
  ]);
  expect(usage).toEqual({
    input_tokens: 107,
    cached_input_tokens: 5,
    cache_write_input_tokens: 0,
    output_tokens: 12,
    reasoning_output_tokens: 0,
  });
  expect(thread.id).toMatch(/^[\da-f-]{36}$/);
  expect(model.requests.map(({ path: asked, headers }) => [asked, headers['authorization']])).toEqual([
    ['/v1/responses', `Bearer ${CLIENT_KEY}`],
    ['/v1/responses', `Bearer ${CLIENT_KEY}`],
  ]);
});

test('runStreamed tells what happens while it happens', async () => {
  const hearing = latch();
  // The model says nothing more until the client has heard of the command.
  const { codex, options } = await codexClient([
    { calls: [command('echo hi')] },
    { text: 'Done.', hold: hearing.opened },
  ]);
  const { events } = await codex.startThread(options).runStreamed('go');
  const heard: string[] = [];
  for await (const event of events) {
    heard.push('item' in event ? `${event.type} ${event.item.type}` : event.type);
    if (heard.at(-1) === 'item.completed command_execution') hearing.open();
  }
  expect(heard).toEqual([
    'thread.started',
    'turn.started',
    'item.started command_execution',
    'item.completed command_execution',
    'item.completed agent_message',
    'turn.completed',
  ]);
});

test('a schema for the answer is sent, and the answer follows it', async () => {
  const { codex, options, model } = await codexClient([{ text: '{"n":1}' }]);
  const properties = { n: { type: 'number' } };
  const outputSchema = { type: 'object', properties, required: ['n'], additionalProperties: false };
  const { finalResponse } = await codex.startThread(options).run('count', { outputSchema });
  expect(JSON.parse(finalResponse)).toEqual({ n: 1 });
  expect(model.requests[0]?.body['text']).toMatchObject({
    format: { type: 'json_schema', strict: true, schema: outputSchema },
  });
});

test('texts and images are sent together', async () => {
  const { codex, options, model, cwd } = await codexClient([{ text: 'A dot.' }]);
  const image = imageIn(cwd);
  await codex.startThread(options).run([
    { type: 'text', text: 'What is' },
    { type: 'local_image', path: image },
    { type: 'text', text: 'this?' },
  ]);
  const request = await model.request(0);
  expect(request.bodyText).toContain(`data:image/png;base64,${ONE_PIXEL}`);
  expect(talkIn(request)).toEqual([`user: <image name=[Image #1] path="${image}">|(image)|</image>|What is\n\nthis?`]);
});

describe('settings', () => {
  test('of a thread win over those of the client', async () => {
    const config = { ...ALL_IS_SENT, model: 'gpt-5.4', developer_instructions: 'Say "no"\nto\\tabs.' };
    const { codex, model, cwd } = await codexClient([{ text: 'Done.' }], {
      config,
      configOverrides: ['model_verbosity=low'],
    });
    const added = tempFolder();
    const thread = codex.startThread({
      model: 'gpt-5.5',
      sandboxMode: 'workspace-write',
      workingDirectory: cwd,
      additionalDirectories: [added],
      networkAccessEnabled: true,
      skipGitRepoCheck: true,
      threadSource: 'user',
    });
    const [started] = await eventsOf(thread, 'go');
    expect(started).toMatchObject({ type: 'thread.started', thread_id: thread.id, cwd, model: 'gpt-5.5' });
    const request = await model.request(0);
    expect(request.body).toMatchObject({ model: 'gpt-5.5', text: { verbosity: 'low' } });
    const said = saidIn(request).join('\n');
    expect(said).toContain('Say "no"\nto\\tabs.');
    expect(said).toContain(`<root>${cwd}</root><root>${added}</root>`);
    expect(said).toContain('<network_access>enabled</network_access>');
  });

  const WORDS: readonly (readonly [words: ThreadOptions, approvals: string, searches: readonly boolean[]])[] = [
    [{ approvalPolicy: 'never', webSearchMode: 'disabled', modelReasoningEffort: 'minimal' }, 'never', []],
    [{ approvalPolicy: 'on-request', webSearchMode: 'cached', modelReasoningEffort: 'low' }, 'never', [false]],
    [{ approvalPolicy: 'on-failure', webSearchMode: 'live', modelReasoningEffort: 'medium' }, 'never', [true]],
    [{ approvalPolicy: 'untrusted', webSearchEnabled: false, modelReasoningEffort: 'high' }, 'untrusted', []],
    [{ sandboxMode: 'read-only', webSearchEnabled: true, modelReasoningEffort: 'xhigh' }, 'never', [true]],
  ];

  test.each(WORDS)('%j are taken', async (words, approvals, searches) => {
    const { codex, model, options } = await codexClient([{ text: 'Done.' }], { config: ALL_IS_SENT });
    const chosen = { ...options, ...words };
    const [started] = await eventsOf(codex.startThread(chosen), 'go');
    expect(started).toMatchObject({ approval_policy: approvals, sandbox_mode: chosen.sandboxMode });
    const { body } = await model.request(0);
    expect(body['reasoning']).toMatchObject({ effort: words.modelReasoningEffort });
    expect(searchesIn(body['tools'])).toEqual(searches);
  });

  /** Of each search that the model is offered, whether it reaches the web as it is now. */
  function searchesIn(tools: unknown): readonly unknown[] {
    return (tools as readonly Record<string, unknown>[])
      .filter(({ type }) => type === 'web_search')
      .map((tool) => tool['external_web_access']);
  }
});

describe('the environment of commands', () => {
  const PRINT = 'echo ${GIVEN-none} ${VITEST-none} ${CODEX_API_KEY-none} ${OPENAI_API_KEY-none}';
  const SCRIPT = [{ calls: [command(PRINT)] }, { text: 'Done.' }];

  async function printed(codex: Codex): Promise<readonly string[]> {
    const thread = codex.startThread({ workingDirectory: tempFolder(), sandboxMode: 'danger-full-access' });
    const { items } = await thread.run('print it');
    return items.flatMap((item) => (item.type === 'command_execution' ? [item.aggregated_output] : []));
  }

  test('is the one that was given to the client, without the keys', async () => {
    const env = { GIVEN: 'given', OPENAI_API_KEY: 'sk-another' };
    const { codex, model } = await codexClient(SCRIPT, { env });
    expect(await printed(codex)).toEqual(['given none none none\n']);
    expect(model.requests[0]?.headers['authorization']).toBe(`Bearer ${CLIENT_KEY}`);
  });

  test('is that of the client itself if none was given', async () => {
    const { baseUrl } = await scriptedModel(SCRIPT);
    const codex = new Codex({ codexPathOverride: PROGRAM, baseUrl, apiKey: CLIENT_KEY });
    expect(await printed(codex)).toEqual(['none true none none\n']);
  });
});

describe('what goes wrong', () => {
  test('at the server fails the turn, with its words and without the key', async () => {
    const body = { error: { message: `who is ${CLIENT_KEY}?` } };
    const { codex, options } = await codexClient([{ fault: { kind: 'status', status: 401, body } }]);
    await expect(codex.startThread(options).run('go')).rejects.toThrow(
      /^http:\/\/127\.0\.0\.1:\d+: .*who is \(hidden\)\?.* The key was taken from CODEX_API_KEY\.$/,
    );
  });

  test('in the settings is told before anything is sent', async () => {
    const { codex, options, model } = await codexClient([], {
      config: { sandbox_workspace_write: { network_access: 'no' } },
    });
    await expect(codex.startThread(options).run('go')).rejects.toThrow(
      /^Codex Exec exited with code 2: .*sandbox_workspace_write\.network_access/,
    );
    expect(model.requests).toEqual([]);
  });
});

describe('a turn that is ended by the client', () => {
  const SCRIPT = [{ calls: [command('sleep 600')] }];

  test('through its signal ends the program and its commands', async () => {
    const { codex, options, home } = await codexClient(SCRIPT);
    const controller = new AbortController();
    const running = codex.startThread(options).run('go', { signal: controller.signal });
    const ended = expect(running).rejects.toThrow(/interrupted|aborted/);
    await until(() => programsOf(home).includes('sleep'));
    controller.abort();
    await ended;
    await until(() => programsOf(home).length === 0);
  });

  test('through its signal, with events, is told to have been aborted', async () => {
    const { codex, options, home } = await codexClient(SCRIPT);
    const controller = new AbortController();
    const { events } = await codex.startThread(options).runStreamed('go', { signal: controller.signal });
    const listen = async (): Promise<void> => {
      for await (const { type } of events) if (type === 'item.started') controller.abort();
    };
    await expect(listen()).rejects.toMatchObject({ name: 'AbortError' });
    await until(() => programsOf(home).length === 0);
  });

  test('by listening no longer ends in the same way', async () => {
    const { codex, options, home } = await codexClient(SCRIPT);
    const { events } = await codex.startThread(options).runStreamed('go');
    for await (const { type } of events) {
      if (type !== 'item.started') continue;
      await until(() => programsOf(home).includes('sleep'));
      break;
    }
    await until(() => programsOf(home).length === 0);
  });
});

describe('a thread that goes on', () => {
  const SCRIPT = [{ text: 'One.' }, { text: 'Two.' }];

  test('with a second run knows of the first', async () => {
    const { codex, options, model } = await codexClient(SCRIPT);
    const thread = codex.startThread(options);
    await thread.run('first');
    const { id } = thread;
    const { finalResponse, usage } = await thread.run('second');
    expect({ finalResponse, id: thread.id }).toEqual({ finalResponse: 'Two.', id });
    expect(talkIn(await model.request(1))).toEqual(['user: first', 'assistant: One.', 'user: second']);
    expect(usage).toMatchObject({ input_tokens: 200, output_tokens: 20 });
  });

  test('by its id knows what was said, and takes other settings and images', async () => {
    const { codex, options, model, cwd } = await codexClient(SCRIPT);
    const first = codex.startThread({ ...options, model: 'gpt-5.4' });
    await first.run('first');
    const image = imageIn(cwd);
    const second = codex.resumeThread(first.id ?? '', { ...options, model: 'gpt-5.5' });
    await second.run([
      { type: 'text', text: 'second' },
      { type: 'local_image', path: image },
    ]);
    expect(second.id).toBe(first.id);
    const request = await model.request(1);
    expect(request.body['model']).toBe('gpt-5.5');
    expect(talkIn(request)).toEqual([
      'user: first',
      'assistant: One.',
      `user: <image name=[Image #1] path="${image}">|(image)|</image>|second`,
    ]);
  });

  test('by an id that nobody has fails', async () => {
    const { codex, options, model } = await codexClient(SCRIPT);
    const id = '00000000-0000-7000-8000-000000000000';
    await expect(codex.resumeThread(id, options).run('second')).rejects.toThrow(id);
    expect(model.requests).toEqual([]);
  });
});
