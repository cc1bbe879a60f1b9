import { describe, expect, test } from 'vitest';

import { absolutePath, textOutput } from '../../src/index.js';
import type { Effect, Grant, Intent, Judge, Payload, Verdict } from '../../src/index.js';
import { callId, sessionId } from '../../src/core/ids.js';
import { createApprovalMemory } from '../../src/pipeline/remember.js';
import { actingTool, functionCall, testRuntime } from '../support/runtime.js';

const root = absolutePath('/workspace');
const exec = (argv: readonly string[], cwd = root): Effect => ({ kind: 'exec', argv, cwd });
const write = (file: string, diff?: string): Effect => ({
  kind: 'write',
  path: absolutePath(file),
  ...(diff !== undefined && { diff }),
});
const read = (file: string): Effect => ({ kind: 'read', path: absolutePath(file) });
const typing = (text: string, session = 1): Effect => ({ kind: 'type', session: sessionId(session), text });
const remote = (server: string, tool: string, readOnly = false): Effect => ({
  kind: 'remote',
  server,
  tool,
  readOnly,
  destructive: false,
});
const unknown = (what: string) => ({ kind: 'beam', what }) as never as Effect;

/** One call and what the judge says beside asking; the payload carries both. */
type Wanted = {
  readonly tool?: 'act' | 'other';
  readonly effects?: readonly Effect[];
  readonly escalate?: Intent['escalate'];
  readonly verdict?: Partial<Extract<Verdict, { kind: 'ask' }>>;
};

/** Approves the first call for the session and tells whether the second was asked about. */
async function covered(first: Wanted | readonly Wanted[], second: Wanted): Promise<boolean> {
  let current: Wanted = {};
  let asked = 0;
  const judge: Judge = () => ({
    kind: 'ask',
    reason: 'sure?',
    rule: { name: 'test' },
    confined: false,
    grants: [],
    ...current.verdict,
  });
  const intent = (): Intent => ({
    effects: current.effects ?? [],
    ...(current.escalate && { escalate: current.escalate }),
  });
  const runtime = testRuntime({
    tools: ['act', 'other'].map((name) => actingTool(name, async () => textOutput('done'), { intent })),
    judge,
    confine: (workspace) => workspace,
    approver: async () => ((asked += 1), { kind: 'session' }),
  });
  const payload: Payload = functionCall('{}');
  for (current of [first].flat()) await runtime.runCall({ name: current.tool ?? 'act', payload });
  asked = 0;
  current = second;
  await runtime.runCall({ name: current.tool ?? 'act', payload });
  await runtime.close();
  return asked === 0;
}

const x: Grant = { kind: 'write', path: absolutePath('/x') };
const y: Grant = { kind: 'write', path: absolutePath('/y') };

describe('a yes for the session covers', () => {
  test.each<readonly [string, Wanted | readonly Wanted[], Wanted]>([
    ['the same command in the same folder', { effects: [exec(['ls'])] }, { effects: [exec(['ls'])] }],
    ['the same command by another tool', { effects: [exec(['ls'])] }, { tool: 'other', effects: [exec(['ls'])] }],
    ['the same file with other content', { effects: [write('/x', '+a')] }, { effects: [write('/x', '+b')] }],
    ['a part of several files', { effects: [write('/x'), write('/y')] }, { effects: [write('/y')] }],
    [
      'several files approved one by one',
      [{ effects: [write('/x')] }, { effects: [write('/y')] }],
      {
        effects: [write('/y'), write('/x')],
      },
    ],
    [
      'the same host',
      { effects: [{ kind: 'connect', host: 'a.b', port: 1 }] },
      {
        effects: [{ kind: 'connect', host: 'a.b', port: 2 }],
      },
    ],
    ['the same tool of a server', { effects: [remote('s', 't')] }, { effects: [remote('s', 't', true)] }],
    ['the same keys in the same session', { effects: [typing('y\n')] }, { effects: [typing('y\n')] }],
    ['the same effect of an unknown kind', { effects: [unknown('up')] }, { effects: [unknown('up')] }],
    ['the same tool without effects', {}, {}],
    [
      'what the judge calls the same',
      { effects: [exec(['a'])], verdict: { keys: ['k', 'l'] } },
      {
        effects: [exec(['b'])],
        verdict: { keys: ['l'] },
      },
    ],
    ['another reason to leave the sandbox', { escalate: { reason: 'a' } }, { escalate: { reason: 'b' } }],
    [
      'the same with fewer rights',
      { verdict: { confined: true, grants: [x, y] } },
      {
        verdict: { confined: true, grants: [y] },
      },
    ],
  ])('%s', async (_, first, second) => {
    expect(await covered(first, second)).toBe(true);
  });
});

describe('a yes for the session does not cover', () => {
  test.each<readonly [string, Wanted | readonly Wanted[], Wanted]>([
    ['other words', { effects: [exec(['ls', 'a b'])] }, { effects: [exec(['ls', 'a', 'b'])] }],
    ['another folder', { effects: [exec(['ls'])] }, { effects: [exec(['ls'], absolutePath('/'))] }],
    ['a further file', { effects: [write('/x')] }, { effects: [write('/x'), write('/y')] }],
    ['writing what may be read', { effects: [read('/x')] }, { effects: [write('/x')] }],
    ['another host', { effects: [{ kind: 'connect', host: 'a.b' }] }, { effects: [{ kind: 'connect', host: 'b.a' }] }],
    ['another tool of a server', { effects: [remote('s', 't')] }, { effects: [remote('s', 'u')] }],
    ['another effect of an unknown kind', { effects: [unknown('up')] }, { effects: [unknown('down')] }],
    [
      'an effect of an unknown kind by another tool',
      { effects: [unknown('up')] },
      {
        tool: 'other',
        effects: [unknown('up')],
      },
    ],
    ['another tool without effects', {}, { tool: 'other' }],
    ['a call that now has effects', {}, { effects: [write('/x')] }],
    ['a key the judge adds', { verdict: { keys: ['k'] } }, { verdict: { keys: ['k', 'l'] } }],
    ['a key that is spelled like an effect', { effects: [write('/x')] }, { verdict: { keys: ['["write","/x"]'] } }],
    [
      'anything, though the judge names no key',
      { effects: [write('/x')], verdict: { keys: [] } },
      {
        effects: [write('/y')],
        verdict: { keys: [] },
      },
    ],
    ['leaving the sandbox', { effects: [exec(['ls'])] }, { effects: [exec(['ls'])], escalate: { reason: 'a' } }],
    ['the same without the sandbox', { verdict: { confined: true } }, { verdict: { confined: false } }],
    [
      'the same with more rights',
      { verdict: { confined: true, grants: [x] } },
      {
        verdict: { confined: true, grants: [x, y] },
      },
    ],
    [
      'the rights of two answers together',
      [{ verdict: { confined: true, grants: [x] } }, { verdict: { confined: true, grants: [y] } }],
      { verdict: { confined: true, grants: [x, y] } },
    ],
  ])('%s', async (_, first, second) => {
    expect(await covered(first, second)).toBe(false);
  });
});

describe('typing that was approved', () => {
  const memory = createApprovalMemory();
  const approvable = (effect: Effect) => ({
    call: { id: callId('c'), name: 'act', payload: functionCall('{}') },
    intent: { effects: [effect] },
    permission: { confined: true, grants: [] },
  });
  memory.add(approvable(typing('ls\n')));

  test.each<readonly [string, Effect, boolean]>([
    ['covers the same keys', typing('ls\n'), true],
    ['does not cover other keys', typing('rm\n'), false],
    ['does not cover another session', typing('ls\n', 2), false],
    ['does not cover the end of another line', { ...typing('ls\n'), line: 'rm x; ' } as Effect, false],
  ])('%s', (_, effect, expected) => {
    expect(memory.covers(approvable(effect))).toBe(expected);
  });
});
