import { expect, test } from 'vitest';

import type { ExecEvent, ExecItem } from '../../../src/cli/exec/exec-event.js';
import { createPaint } from '../../../src/cli/exec/paint.js';
import type { ColorChoice } from '../../../src/cli/exec/paint.js';
import { createProgress } from '../../../src/cli/exec/progress.js';

const USAGE = {
  input_tokens: 1_200,
  cached_input_tokens: 1_000,
  cache_write_input_tokens: 0,
  output_tokens: 34,
  reasoning_output_tokens: 0,
};
const COUNTS = { usage: USAGE, turn_usage: USAGE, requests: 1 };
const END: ExecEvent = { type: 'turn.completed', ...COUNTS };

function shown(events: readonly ExecEvent[], color: ColorChoice = 'never'): string {
  const texts: string[] = [];
  const tell = createProgress({ write: (text) => texts.push(text), paint: createPaint(color, {}) });
  for (const event of events) tell(event);
  return texts.join('');
}

function done(item: ExecItem): ExecEvent {
  return { type: 'item.completed', item };
}

function message(text: string): ExecEvent {
  return done({ id: 'item_9', type: 'agent_message', text });
}

const RUNNING = {
  id: 'item_1',
  type: 'command_execution',
  call: 'c',
  command: "/bin/bash -lc 'ls'",
  cwd: '/project',
  aggregated_output: '',
  exit_code: null,
  status: 'in_progress',
} as const;
const LISTED = {
  ...RUNNING,
  aggregated_output: 'a\nb\n',
  exit_code: 0,
  status: 'completed',
  duration_ms: 12.3,
} as const;

test('messages on the way are shown, and the last one is left for standard output', () => {
  expect(
    shown([message('I look.'), { type: 'item.started', item: RUNNING }, done(LISTED), message('Done.'), END]),
  ).toBe(
    `tenon
  I look.
exec /bin/bash -lc 'ls' in /project
  exited 0 in 12ms:
  a
  b
tokens used: 1,234 (1,200 in, 1,000 of them cached, 34 out)
`,
  );
});

test.each([
  ['server', 'failed'],
  ['limit', 'stopped'],
  ['repetition', 'stopped'],
  ['interrupted', 'interrupted'],
])('the last message of a turn that ended early is shown too, and who ended it: %s', (kind, word) => {
  const failed: ExecEvent = { type: 'turn.failed', error: { kind, message: 'too\nlong' }, ...COUNTS };
  expect(shown([message('Half way.'), { type: 'error', ...failed.error }, failed])).toBe(
    `tenon
  Half way.
${word}: too long
tokens used: 1,234 (1,200 in, 1,000 of them cached, 34 out)
`,
  );
});

test('a command that ends after another has begun is named again', () => {
  const second = { ...RUNNING, id: 'item_2', command: 'sleep 1' };
  const failed = { ...second, exit_code: 137, status: 'failed', duration_ms: 61_000 } as const;
  expect(
    shown([
      { type: 'item.started', item: RUNNING },
      { type: 'item.started', item: second },
      done(LISTED),
      done(failed),
      done({ ...RUNNING, id: 'item_3' }),
    ]),
  ).toBe(
    `exec /bin/bash -lc 'ls' in /project
exec sleep 1 in /project
exec /bin/bash -lc 'ls' in /project
  exited 0 in 12ms:
  a
  b
exec sleep 1 in /project
  exited 137 in 1m 1s
exec /bin/bash -lc 'ls' in /project
  still runs, and ends with this program
`,
  );
});

test('of a long output both ends are shown, of a long line its beginning', () => {
  const lines = Array.from({ length: 30 }, (_, index) => (index === 0 ? 'x'.repeat(500) : `line ${index}`));
  const text = shown([done({ ...LISTED, aggregated_output: lines.join('\n') })]);
  expect(text.split('\n').slice(2, 24)).toEqual([
    `  ${'x'.repeat(400)}…`,
    ...lines.slice(1, 10).map((line) => `  ${line}`),
    '  … 10 more lines …',
    ...lines.slice(-10).map((line) => `  ${line}`),
    '',
  ]);
});

test('everything else that happens has its line', () => {
  const each: readonly ExecItem[] = [
    { id: '1', type: 'reasoning', text: 'hm' },
    {
      id: '2',
      type: 'file_change',
      call: 'c',
      changes: [{ path: '/project/a', kind: 'add' }],
      status: 'completed',
      diff: 'diff --git a/a b/a\n+a\n',
    },
    {
      id: '3',
      type: 'file_change',
      call: 'c',
      changes: [{ path: '/project/b', kind: 'update' }],
      status: 'failed',
      error: { message: 'does not fit' },
    },
    { id: '4', type: 'tool_call', call: 'c', tool: 'look', arguments: { path: 'a' }, status: 'completed' },
    {
      id: '5',
      type: 'tool_call',
      call: 'c',
      tool: 'look',
      arguments: 'free',
      status: 'failed',
      content: [{ type: 'text', text: 'no such file' }],
    },
    {
      id: '6',
      type: 'mcp_tool_call',
      call: 'c',
      server: 's',
      tool: 't',
      arguments: {},
      result: null,
      error: { message: 'boom' },
      status: 'failed',
    },
    { id: '7', type: 'web_search', query: 'joints' },
    { id: '8', type: 'refusal', call: 'c', tool: 'run', by: 'policy', reason: 'no', command: 'rm -r /', arguments: {} },
    { id: '9', type: 'denial', call: 'c', attempt: 1, kind: 'write', target: '/etc', proof: 'inferred' },
    { id: '10', type: 'compaction', reason: 'overflow', tokens_before: 9_000, tokens_after: 90 },
    { id: '11', type: 'error', kind: 'warning.raised', message: 'careful' },
    { id: '12', type: 'notice', kind: 'rule.saved', message: 'saved' },
  ];
  const plan: ExecItem = {
    id: '13',
    type: 'todo_list',
    items: [
      { text: 'look', completed: true, status: 'completed' },
      { text: 'act', completed: false, status: 'in_progress' },
    ],
  };
  const retry: ExecEvent = {
    type: 'error',
    kind: 'server',
    message: 'Reconnecting... 1/5 (overloaded)',
    retry: 1,
    most: 5,
    delay_ms: 1_500,
  };
  expect(shown([...each.map(done), { type: 'item.started', item: plan }, done(plan), retry])).toBe(
    `thinking
  hm
changed
  A /project/a
  diff --git a/a b/a
  +a
no change
  M /project/b
  does not fit
called look {"path":"a"}
failed look free
  no such file
failed s/t {}
  boom
searched for joints
refused rm -r /
  no
blocked by the sandbox: write /etc, as it seems
compacted the history from about 9,000 to 90 tokens (overflow)
warning: careful
note: saved
plan
  [x] look
  [>] act
trying again in 1.5s: Reconnecting... 1/5 (overloaded)
`,
  );
});

test('only our own words are coloured, and nothing of others reaches the terminal as more than text', () => {
  const evil = '\u001b[31mred\u001b]0;title\u0007\nexec fake';
  const text = shown(
    [
      done({ id: '1', type: 'reasoning', text: evil }),
      done({ ...LISTED, command: evil, aggregated_output: evil }),
      done({ id: '2', type: 'tool_call', call: 'c', tool: evil, arguments: { a: evil }, status: 'failed' }),
      done({ id: '3', type: 'refusal', call: 'c', tool: evil, by: 'hook', reason: evil, arguments: evil }),
      done({ id: '4', type: 'error', kind: 'warning.raised', message: evil }),
      { type: 'turn.failed', error: { kind: 'server', message: evil }, ...COUNTS },
    ],
    'always',
  );
  const ours =
    /\u001b\[(?:1|2|31|32)m(?:thinking|exec|exited 0 in 12ms|failed|refused|warning|tokens used:)\u001b\[0m/g;
  expect(text.replace(ours, '')).not.toMatch(/[\u0000-\u0008\u000b-\u001f]/);
  expect(text.split('\n').filter((line) => line.startsWith('exec fake'))).toEqual([]);
});

test('colours are for terminals, unless somebody insists', () => {
  const word = (choice: 'auto' | 'always' | 'never', isTTY: boolean) => createPaint(choice, { isTTY }).bad('x');
  expect([word('always', false), word('never', true), word('auto', false)]).toEqual(['\u001b[31mx\u001b[0m', 'x', 'x']);
});
