import { describe, expect, test } from 'vitest';

import { told } from './told.js';
import type { Happening } from './told.js';

const CALL = 'call_1';
const TURN = 'turn_1';

function started(name: string, args: object | string = {}): Happening {
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  return { type: 'call.started', callId: CALL, name, payload: { kind: 'function', arguments: text } };
}

type Verdict = Extract<Happening, { type: 'verdict.reached' }>;

function allowed(...effects: Verdict['effects']): readonly Happening[] {
  return [
    { type: 'verdict.reached', callId: CALL, verdict: 'allow', confined: true, rule: { name: 'a rule' }, effects },
    attempt(1),
  ];
}

function attempt(number: number): Happening {
  return { type: 'attempt.started', callId: CALL, attempt: number, confined: true, grants: [] };
}

function printed(text: string, omitted?: number): Happening {
  return {
    type: 'output.delta',
    callId: CALL,
    stream: 'stdout',
    text,
    ...(omitted !== undefined && { omitted }),
  };
}

type Finish = Extract<Happening, { type: 'call.finished' }>;

function finished(text: string, more: Partial<Finish> = {}): Happening {
  return {
    type: 'call.finished',
    callId: CALL,
    name: 'a tool',
    outcome: 'completed',
    success: true,
    durationMs: 12,
    content: [{ kind: 'text', text }],
    ...more,
  };
}

const BASH = { kind: 'exec', argv: ['/bin/bash', '-lc', "echo 'hi'; pwd"], cwd: '/project' } as const;
const COMMAND = {
  id: 'item_0',
  type: 'command_execution',
  call: CALL,
  command: String.raw`/bin/bash -lc 'echo '\''hi'\''; pwd'`,
  cwd: '/project',
  aggregated_output: '',
  exit_code: null,
  status: 'in_progress',
} as const;

describe('a command', () => {
  test('is told when it runs, and with all that it printed when it has ended', () => {
    expect(
      told(
        started('run'),
        ...allowed(BASH),
        printed('hi\n'),
        printed('/project\n'),
        finished('Chunk ID: …', { details: { exit: { kind: 'exited', code: 0 } } }),
      ),
    ).toEqual([
      { type: 'item.started', item: COMMAND },
      {
        type: 'item.completed',
        item: { ...COMMAND, aggregated_output: 'hi\n/project\n', exit_code: 0, status: 'completed', duration_ms: 12 },
      },
    ]);
  });

  test.each<readonly [exit: object, code: number | null]>([
    [{ kind: 'exited', code: 3 }, 3],
    [{ kind: 'signalled', signal: 'SIGKILL', number: 9 }, 137],
    [{ kind: 'timed_out', ms: 5 }, 124],
    [{ kind: 'not_started', reason: 'no such program' }, null],
  ])('that ended with %j has failed', (exit, code) => {
    const [, end] = told(started('run'), ...allowed(BASH), finished('', { success: false, details: { exit } }));
    expect(end).toEqual({
      type: 'item.completed',
      item: { ...COMMAND, exit_code: code, status: 'failed', duration_ms: 12 },
    });
  });

  test('that never ran for a reason of ours says why', () => {
    const [, end] = told(
      started('run'),
      ...allowed(BASH),
      finished('no such folder', { outcome: 'failed', success: false }),
    );
    expect(end).toMatchObject({ item: { aggregated_output: 'no such folder', exit_code: null, status: 'failed' } });
  });

  test.each(['', 'one\n'])('that was interrupted says nothing but what it printed: %j', (text) => {
    const [, end] = told(
      started('run'),
      ...allowed(BASH),
      ...(text === '' ? [] : [printed(text)]),
      finished('Wall time: 1.0 seconds\naborted by user', { outcome: 'aborted', success: false }),
    );
    expect(end).toEqual({
      type: 'item.completed',
      item: { ...COMMAND, aggregated_output: text, status: 'failed', duration_ms: 12 },
    });
  });

  test('tells what of its output was left out, and where the whole is', () => {
    const kept: Happening = { type: 'output.kept', callId: CALL, path: '/kept/1', bytes: 900, complete: true };
    const [, end] = told(started('run'), ...allowed(BASH), printed('a', 700), printed('b'), kept, finished(''));
    expect(end).toMatchObject({
      item: { aggregated_output: 'a\n[… 700 bytes left out …]\nb', output_file: '/kept/1' },
    });
  });

  test('that is tried again prints anew, and is one item', () => {
    const denied: Happening = {
      type: 'attempt.denied',
      callId: CALL,
      attempt: 1,
      kind: 'write',
      target: '/etc',
      proof: 'kernel',
    };
    const { type: _, callId: call, ...denial } = denied;
    expect(
      told(started('run'), ...allowed(BASH), printed('no\n'), denied, attempt(2), printed('yes\n'), finished('')),
    ).toEqual([
      { type: 'item.started', item: COMMAND },
      { type: 'item.completed', item: { id: 'item_1', type: 'denial', call, ...denial } },
      {
        type: 'item.completed',
        item: { ...COMMAND, aggregated_output: 'yes\n', status: 'completed', duration_ms: 12 },
      },
    ]);
  });

  const opened: Happening = {
    type: 'session.opened',
    callId: CALL,
    session: 7,
    argv: BASH.argv,
    cwd: BASH.cwd,
    tty: false,
  };
  const ended: Happening = { type: 'session.ended', callId: CALL, session: 7, exit: { kind: 'exited', code: 0 } };

  test('that goes on after its answer is over when it ends', () => {
    expect(
      told(
        started('run'),
        ...allowed(BASH),
        opened,
        finished('session 7'),
        printed('late'),
        ended,
        turnEnd('completed'),
      ),
    ).toEqual([
      { type: 'item.started', item: COMMAND },
      {
        type: 'item.completed',
        item: { ...COMMAND, aggregated_output: 'late', exit_code: 0, status: 'completed', duration_ms: 6_000 },
      },
      expect.objectContaining({ type: 'turn.completed' }),
    ]);
  });

  test('that was not answered before the turn ended is left in progress, with what it printed', () => {
    expect(told(started('run'), ...allowed(BASH), printed('so far'), turnEnd('failed'), finished('late'))).toEqual([
      { type: 'item.started', item: COMMAND },
      { type: 'item.completed', item: { ...COMMAND, aggregated_output: 'so far' } },
      expect.objectContaining({ type: 'error' }),
      expect.objectContaining({ type: 'turn.failed' }),
    ]);
  });

  test('that goes on after the turn is left in progress, and not told of again', () => {
    expect(told(started('run'), ...allowed(BASH), opened, finished('session 7'), turnEnd('completed'), ended)).toEqual([
      { type: 'item.started', item: COMMAND },
      { type: 'item.completed', item: { ...COMMAND, duration_ms: 12 } },
      expect.objectContaining({ type: 'turn.completed' }),
    ]);
  });
});

describe('files', () => {
  const patch = [
    { kind: 'write', path: '/project/new', diff: '*** Add File: new\n+--- /dev/null' },
    { kind: 'write', path: '/project/old', diff: '*** Delete File: old' },
    { kind: 'write', path: '/project/a', diff: '--- a/a\n+++ b/a\n@@ -1 +1 @@\n--- /dev/null\n+b' },
    { kind: 'read', path: '/project/a' },
  ] as const;
  const changes = [
    { path: '/project/new', kind: 'add' },
    { path: '/project/old', kind: 'delete' },
    { path: '/project/a', kind: 'update' },
  ] as const;
  const item = { id: 'item_0', type: 'file_change', call: CALL, changes, status: 'in_progress' } as const;

  function changed(path: string, change: 'added' | 'mode-changed', diff?: string): Happening {
    return { type: 'files.changed', callId: CALL, files: [{ path, change }], ...(diff !== undefined && { diff }) };
  }

  test('are told with what was done to them, and the diff', () => {
    expect(
      told(started('patch'), ...allowed(...patch), changed('/project/new', 'added', 'DIFF\n'), finished('')),
    ).toEqual([
      { type: 'item.started', item },
      {
        type: 'item.completed',
        item: { ...item, changes: [{ path: '/project/new', kind: 'add' }], status: 'completed', diff: 'DIFF\n' },
      },
    ]);
  });

  test('without a record are told as they were to be changed', () => {
    expect(told(started('patch'), ...allowed(...patch), finished(''))[1]).toEqual({
      type: 'item.completed',
      item: { ...item, status: 'completed' },
    });
  });

  test('that could not be changed say why', () => {
    expect(told(started('patch'), ...allowed(...patch), finished('no match', { success: false }))[1]).toEqual({
      type: 'item.completed',
      item: { ...item, status: 'failed', error: { message: 'no match' } },
    });
  });

  test('that a command changed are an item of their own, without a diff where that is long', () => {
    expect(told(started('run'), ...allowed(BASH), changed('/project/x', 'mode-changed'), finished(''))[1]).toEqual({
      type: 'item.completed',
      item: {
        id: 'item_1',
        type: 'file_change',
        call: CALL,
        changes: [{ path: '/project/x', kind: 'update' }],
        status: 'completed',
      },
    });
  });
});

describe('other tools', () => {
  const read = { kind: 'read', path: '/project/a' } as const;

  test('are told with their arguments and what they answered', () => {
    const content = [
      { kind: 'text', text: 'alpha' },
      { kind: 'image', mediaType: 'image/png', bytes: 70 },
    ] as const;
    expect(told(started('look', { path: 'a' }), ...allowed(read), finished('', { content })).at(-1)).toEqual({
      type: 'item.completed',
      item: {
        id: 'item_0',
        type: 'tool_call',
        call: CALL,
        tool: 'look',
        arguments: { path: 'a' },
        status: 'completed',
        duration_ms: 12,
        content: [
          { type: 'text', text: 'alpha' },
          { type: 'image', mime_type: 'image/png', bytes: 70 },
        ],
      },
    });
  });

  test.each(['{"path":', '[1]', 'null'])('keep arguments that are no object as they came: %s', (text) => {
    const failed = finished('failed to parse function arguments', { outcome: 'failed', success: false });
    expect(told(started('look', text), failed)).toEqual([
      {
        type: 'item.completed',
        item: expect.objectContaining({ type: 'tool_call', arguments: text, status: 'failed' }),
      },
    ]);
  });

  test('are told by what hooks made of them', () => {
    const rewritten: Happening = {
      type: 'hook.finished',
      callId: CALL,
      hook: 'h',
      phase: 'before',
      result: 'rewrite',
      payload: { kind: 'custom', input: 'free text' },
    };
    expect(told(started('look'), rewritten, ...allowed(read))).toEqual([
      { type: 'item.started', item: expect.objectContaining({ arguments: 'free text' }) },
    ]);
  });

  test('of MCP servers have the name of the server, and their result or error', () => {
    const remote = { kind: 'remote', server: 'every', tool: 'get-sum', readOnly: true, destructive: false } as const;
    const calling = [started('mcp__every__get_sum', { a: 1 }), ...allowed(remote)];
    const item = {
      id: 'item_0',
      type: 'mcp_tool_call',
      call: CALL,
      server: 'every',
      tool: 'get-sum',
      arguments: { a: 1 },
    };
    expect([
      ...told(...calling, finished('3', { details: { structuredContent: { sum: 3 } } })),
      ...told(...calling, finished('boom', { success: false })).slice(1),
    ]).toEqual([
      { type: 'item.started', item: { ...item, result: null, error: null, status: 'in_progress' } },
      {
        type: 'item.completed',
        item: {
          ...item,
          result: { content: [{ type: 'text', text: '3' }], structured_content: { sum: 3 } },
          error: null,
          status: 'completed',
          duration_ms: 12,
        },
      },
      {
        type: 'item.completed',
        item: { ...item, result: null, error: { message: 'boom' }, status: 'failed', duration_ms: 12 },
      },
    ]);
  });
});

describe('a search', () => {
  test('by the server of the model keeps its id', () => {
    const action = { type: 'search', query: 'tenon joints' };
    expect(
      told({
        type: 'hosted.finished',
        turn: TURN,
        id: 'ws_1',
        name: 'web_search',
        detail: { status: 'completed', action },
      }),
    ).toEqual([{ type: 'item.completed', item: { id: 'ws_1', type: 'web_search', query: 'tenon joints', action } }]);
  });

  test('by a service that the user named is the same item', () => {
    const effect = {
      kind: 'remote',
      server: 'web_search',
      tool: 'search',
      readOnly: true,
      destructive: false,
    } as const;
    expect(told(started('web_search', { query: 'q' }), ...allowed(effect), finished('[]'))[1]).toEqual({
      type: 'item.completed',
      item: {
        id: 'item_0',
        type: 'web_search',
        call: CALL,
        query: 'q',
        action: { type: 'search', query: 'q' },
        content: [{ type: 'text', text: '[]' }],
        status: 'completed',
        duration_ms: 12,
      },
    });
  });

  test('is no other tool that a server runs', () => {
    expect(
      told({ type: 'hosted.finished', turn: TURN, id: 'fs_1', name: 'file_search', detail: { queries: ['q'] } }),
    ).toEqual([
      {
        type: 'item.completed',
        item: {
          id: 'item_0',
          type: 'tool_call',
          call: 'fs_1',
          tool: 'file_search',
          arguments: { queries: ['q'] },
          status: 'completed',
        },
      },
    ]);
  });
});

test('a plan is one item until the turn ends, and the call that made it is none', () => {
  const plan = (status: 'pending' | 'completed'): Happening => ({
    type: 'plan.updated',
    callId: CALL,
    plan: [{ step: 'look', status }],
  });
  const item = (status: string) => ({
    id: 'item_0',
    type: 'todo_list',
    items: [{ text: 'look', completed: status === 'completed', status }],
  });
  const making = [started('plan'), ...allowed()];
  expect(
    told(
      ...making,
      plan('pending'),
      finished('ok'),
      ...making,
      plan('completed'),
      finished('ok'),
      turnEnd('completed'),
    ),
  ).toEqual([
    { type: 'item.started', item: item('pending') },
    { type: 'item.updated', item: item('completed') },
    { type: 'item.completed', item: item('completed') },
    expect.objectContaining({ type: 'turn.completed' }),
  ]);
});

describe('a refusal', () => {
  const refused = (by: 'policy' | 'user' | 'hook') =>
    finished('no, because', { outcome: 'rejected', success: false, by });

  test('of a command that never ran is told with the command and the rule', () => {
    const [judged] = allowed(BASH);
    expect(told(started('run', { cmd: 'x' }), judged as Happening, refused('policy'))).toEqual([
      {
        type: 'item.completed',
        item: {
          id: 'item_0',
          type: 'refusal',
          call: CALL,
          tool: 'run',
          by: 'policy',
          reason: 'no, because',
          rule: 'a rule',
          command: COMMAND.command,
          arguments: { cmd: 'x' },
        },
      },
    ]);
  });

  test('of a result comes with the end of what had run', () => {
    expect(told(started('run'), ...allowed(BASH), refused('hook')).slice(1)).toEqual([
      {
        type: 'item.completed',
        item: {
          id: 'item_1',
          type: 'refusal',
          call: CALL,
          tool: 'run',
          by: 'hook',
          reason: 'no, because',
          command: COMMAND.command,
          arguments: {},
        },
      },
      { type: 'item.completed', item: expect.objectContaining({ id: 'item_0', status: 'failed' }) },
    ]);
  });
});

const USAGE = {
  inputTokens: 10,
  cachedInputTokens: 5,
  cacheWriteInputTokens: 1,
  outputTokens: 3,
  reasoningOutputTokens: 2,
};
const TOTAL = { ...USAGE, inputTokens: 100 };
const USAGE_LINE = {
  input_tokens: 10,
  cached_input_tokens: 5,
  cache_write_input_tokens: 1,
  output_tokens: 3,
  reasoning_output_tokens: 2,
};
const TOTAL_LINE = { ...USAGE_LINE, input_tokens: 100 };

type Status = Extract<Happening, { type: 'turn.finished' }>['status'];

function turnEnd(status: Status, more: object = {}): Happening {
  return { type: 'turn.finished', turn: TURN, status, usage: USAGE, total: TOTAL, requests: 2, ...more };
}

describe('a turn', () => {
  test('has whole messages and reasoning, and usage of its own and in total', () => {
    expect(
      told(
        { type: 'turn.started', turn: TURN, model: 'm', provider: 'p' },
        { type: 'request.started', turn: TURN, request: 1, bytes: 10 },
        { type: 'reasoning.delta', turn: TURN, text: 'thi' },
        { type: 'reasoning.completed', turn: TURN, text: 'think' },
        { type: 'message.delta', turn: TURN, text: 'he' },
        { type: 'message.completed', turn: TURN, text: 'hello', phase: 'commentary' },
        { type: 'message.completed', turn: TURN, text: 'done' },
        turnEnd('completed', { costUsd: 0.5 }),
      ),
    ).toEqual([
      { type: 'turn.started', turn_id: TURN },
      { type: 'item.completed', item: { id: 'item_0', type: 'reasoning', text: 'think' } },
      { type: 'item.completed', item: { id: 'item_1', type: 'agent_message', text: 'hello', phase: 'commentary' } },
      { type: 'item.completed', item: { id: 'item_2', type: 'agent_message', text: 'done' } },
      { type: 'turn.completed', usage: TOTAL_LINE, turn_usage: USAGE_LINE, requests: 2, cost_usd: 0.5 },
    ]);
  });

  test('that failed says why, twice as Codex does, with what it cost', () => {
    const error = { kind: 'refused', message: 'no such model', status: 404 };
    expect(told(turnEnd('failed', { error }))).toEqual([
      { type: 'error', ...error },
      { type: 'turn.failed', error, usage: TOTAL_LINE, turn_usage: USAGE_LINE, requests: 2 },
    ]);
  });

  test('that was interrupted has failed, without an error', () => {
    expect(told(turnEnd('interrupted'))).toEqual([
      {
        type: 'turn.failed',
        error: { kind: 'interrupted', message: 'the turn was interrupted' },
        usage: TOTAL_LINE,
        turn_usage: USAGE_LINE,
        requests: 2,
      },
    ]);
  });

  test('tells of each retry and of compaction', () => {
    expect(
      told(
        {
          type: 'request.retried',
          turn: TURN,
          retry: 1,
          most: 5,
          delayMs: 200,
          error: { kind: 'server', message: 'overloaded', status: 503 },
        },
        { type: 'history.compacted', turn: TURN, reason: 'overflow', tokensBefore: 900, tokensAfter: 90 },
      ),
    ).toEqual([
      {
        type: 'error',
        kind: 'server',
        message: 'Reconnecting... 1/5 (overloaded)',
        status: 503,
        retry: 1,
        most: 5,
        delay_ms: 200,
      },
      {
        type: 'item.completed',
        item: { id: 'item_0', type: 'compaction', reason: 'overflow', tokens_before: 900, tokens_after: 90 },
      },
    ]);
  });
});

test('what else went wrong is an item that names the event it comes from', () => {
  expect(
    told(
      { type: 'warning.raised', message: 'careful' },
      { type: 'sandbox.reverted', callId: CALL, attempt: 1, path: '/w/.git', change: 'made', aside: '/w/.git.1' },
      { type: 'repetition.noticed', callId: CALL, name: 'run', times: 3 },
      { type: 'call.reused', callId: 'call_2', of: CALL },
      { type: 'changes.recovered', id: '1', result: 'put-back', paths: ['/w/a'] },
      { type: 'changes.recovered', id: '2', result: 'left', paths: ['/w/b'] },
    ).map((event) => ('item' in event ? event.item : event)),
  ).toEqual([
    { id: 'item_0', type: 'error', kind: 'warning.raised', message: 'careful' },
    {
      id: 'item_1',
      type: 'error',
      kind: 'sandbox.reverted',
      call: CALL,
      message: '/w/.git is protected: that it was made was undone; what stood there is now /w/.git.1',
    },
    {
      id: 'item_2',
      type: 'error',
      kind: 'repetition.noticed',
      call: CALL,
      message: 'run fails again and again in the same way: 3 times so far',
    },
    {
      id: 'item_3',
      type: 'notice',
      kind: 'call.reused',
      call: 'call_2',
      message: 'the result of call_1 was used again, it was not run twice',
    },
    {
      id: 'item_4',
      type: 'notice',
      kind: 'changes.recovered',
      message: 'what an earlier run had left half made (/w/a) was put back',
    },
    {
      id: 'item_5',
      type: 'error',
      kind: 'changes.recovered',
      message: 'what an earlier run had left half made (/w/b) could not all be put back',
    },
  ]);
});
