import { describe, expect, test } from 'vitest';

import { absolutePath, textOutput } from '../../src/index.js';
import type { Approver, Confine, Decision, Grant, Judge, Profile, RuntimeOptions } from '../../src/index.js';
import { createMemoryWorkspace } from '../../src/testing/index.js';
import { actingTool, functionCall, testRuntime, textOf } from '../support/runtime.js';

const payload = functionCall('{}');
const asks: Judge = () => ({ kind: 'ask', reason: 'sure?', rule: { name: 'test-rule' }, confined: true, grants: [] });
const act = actingTool('act', async () => textOutput('done'), {
  intent: () => ({ effects: [{ kind: 'write', path: absolutePath('/workspace/a') }] }),
  present: () => ({ title: 'Act', command: 'act now' }),
});

describe('approval', () => {
  function runtimeWith(approver: Approver | undefined) {
    return testRuntime({ tools: [act], judge: asks, confine: (workspace) => workspace, ...(approver && { approver }) });
  }

  test('the approver sees what it is asked about', async () => {
    const requests: unknown[] = [];
    const runtime = runtimeWith(async (request) => (requests.push(request), { kind: 'once' }));
    expect(textOf(await runtime.runCall({ id: 'c1', name: 'act', payload }))).toBe('done');
    expect(requests).toEqual([
      {
        call: { id: 'c1', name: 'act', payload },
        intent: { effects: [{ kind: 'write', path: '/workspace/a' }] },
        presentation: { title: 'Act', command: 'act now' },
        reason: 'sure?',
        rule: { name: 'test-rule' },
        permission: { confined: true, grants: [] },
      },
    ]);
  });

  test('the approver sees what a hook made of the call', async () => {
    const seen: unknown[] = [];
    const rewritten = functionCall({ rewritten: true });
    const runtime = testRuntime({
      tools: [act],
      judge: asks,
      confine: (workspace) => workspace,
      hooks: [{ name: 'h', beforeCall: () => ({ kind: 'rewrite', payload: rewritten }) }],
      approver: async ({ call }) => (seen.push(call.payload), { kind: 'once' }),
    });
    await runtime.runCall({ name: 'act', payload });
    expect(seen).toEqual([rewritten]);
  });

  const refusals: readonly (readonly [
    what: string,
    approver: Approver | undefined,
    by: 'user' | 'policy',
    text: RegExp,
  ])[] = [
    ['a no', async () => ({ kind: 'deny' }), 'user', /^rejected by user\. Do not try the same/],
    [
      'a no with a note',
      async () => ({ kind: 'deny', note: 'use the other file' }),
      'user',
      /^rejected by user: use the other file$/,
    ],
    [
      'an approver that crashes',
      () => Promise.reject(new Error('no screen')),
      'policy',
      /and the approver failed: no screen\.$/,
    ],
    [
      'an answer that is none',
      (async () => ({ kind: 'sure' })) as never,
      'policy',
      /and the approver gave no usable answer\.$/,
    ],
    [
      'a no whose note is none',
      (async () => ({ kind: 'deny', note: 5 })) as never,
      'policy',
      /and the approver gave no usable answer\.$/,
    ],
    ['nobody to ask', undefined, 'policy', /^sure\. This needs an approval, and nobody is there to give it\.$/],
  ];

  test.each(refusals)('%s is a rejection', async (_, approver, by, text) => {
    const runtime = runtimeWith(approver);
    const result = await runtime.runCall({ name: 'act', payload });
    expect(result.outcome).toMatchObject({ kind: 'rejected', by });
    expect(textOf(result)).toMatch(text);
    expect(runtime.record.of('attempt.started')).toEqual([]);
    expect(runtime.record.of('approval.decided')).toMatchObject([
      { decision: 'deny', by: by === 'user' ? 'approver' : 'nobody' },
    ]);
  });

  test('an approval for the session is asked for once, one for this time every time', async () => {
    const decisions: Decision[] = [{ kind: 'once' }, { kind: 'session' }];
    let asked = 0;
    const runtime = runtimeWith(async () => decisions[asked++] ?? { kind: 'deny' });
    for (let call = 0; call < 4; call += 1) await runtime.runCall({ name: 'act', payload });
    expect(asked).toBe(2);
    expect(runtime.record.of('approval.decided').map((event) => event.by)).toEqual([
      'approver',
      'approver',
      'memory',
      'memory',
    ]);
    expect(runtime.record.of('call.finished').map((event) => event.outcome)).toEqual(Array(4).fill('completed'));
  });

  test('a denial by the policy reaches nobody', async () => {
    const runtime = testRuntime({
      tools: [act],
      judge: () => ({
        kind: 'deny',
        reason: 'not in this house',
        rule: { name: 'house', file: 'rules.toml', line: 3 },
      }),
      approver: async () => ({ kind: 'once' }),
    });
    const { outcome } = await runtime.runCall({ name: 'act', payload });
    expect(outcome).toEqual({ kind: 'rejected', by: 'policy', reason: 'not in this house' });
    expect(runtime.record.events.map((event) => event.type)).toEqual([
      'call.started',
      'verdict.reached',
      'call.finished',
    ]);
    expect(runtime.record.of('verdict.reached')[0]?.rule).toEqual({ name: 'house', file: 'rules.toml', line: 3 });
  });
});

describe('a second attempt', () => {
  const target = '/outside/file';
  const grant: Grant = { kind: 'write', path: absolutePath(target) };

  /** A sandbox that stops the first write and says so; `grants` let it pass. */
  function fencedRuntime(
    options: Pick<RuntimeOptions, 'approvalPolicy' | 'approver' | 'judge'> & { readonly proof: 'kernel' | 'inferred' },
  ) {
    const profiles: Profile[] = [];
    const confine: Confine = (workspace, profile, report) => {
      profiles.push(profile);
      return {
        ...workspace,
        async spawn() {
          const allowed = profile.grants.some((each) => each.kind === 'write');
          // Programs try more than once, and the question must still name each right once.
          for (const denial of allowed
            ? []
            : [1, 2, 3].map(() => ({ kind: 'write', target, proof: options.proof }) as const))
            report(denial);
          return {
            pid: undefined,
            exit: Promise.resolve({ kind: 'exited', code: allowed ? 0 : 1 }),
            interrupt: () => {},
            end: async () => {},
          };
        },
      };
    };
    const tool = actingTool(
      'act',
      async (_, { workspace }) => {
        const process = await workspace.spawn({ argv: ['x'], cwd: workspace.cwd, onOutput: () => {} });
        const exit = await process.exit;
        const code = exit.kind === 'exited' ? exit.code : -1;
        return textOutput(`exit ${code}`, { success: code === 0 });
      },
      { intent: (_, workspace) => ({ effects: [{ kind: 'exec', argv: ['x'], cwd: workspace.cwd }] }) },
    );
    const runtime = testRuntime({
      tools: [tool],
      workspace: createMemoryWorkspace(),
      sandboxMode: 'workspace-write',
      confine,
      ...options,
    });
    return { runtime, profiles };
  }

  test('gets exactly the right that was missing, and stays confined', async () => {
    const { runtime, profiles } = fencedRuntime({ proof: 'kernel', approver: async () => ({ kind: 'once' }) });
    expect(textOf(await runtime.runCall({ name: 'act', payload }))).toBe('exit 0');
    expect(profiles.map((profile) => profile.grants)).toEqual([[], [grant]]);
    expect(runtime.record.of('attempt.started')).toMatchObject([
      { attempt: 1, confined: true },
      { attempt: 2, confined: true },
    ]);
    expect(runtime.record.of('approval.requested').map((event) => event.reason)).toEqual([
      'the sandbox blocked this: write /outside/file. Retry with just that allowed?',
    ]);
  });

  test('is asked for even when the call itself was approved for the session', async () => {
    const asked: (readonly Grant[])[] = [];
    const { runtime } = fencedRuntime({
      proof: 'kernel',
      approvalPolicy: 'untrusted',
      approver: async ({ permission }) => (asked.push(permission.grants), { kind: 'session' }),
    });
    expect(textOf(await runtime.runCall({ name: 'act', payload }))).toBe('exit 0');
    expect(asked).toEqual([[], [grant]]);
    await runtime.runCall({ name: 'act', payload });
    expect(asked).toHaveLength(2);
  });

  test('keeps the rights the first one was given', async () => {
    const first: Grant = { kind: 'connect', host: 'example.com' };
    const { runtime, profiles } = fencedRuntime({
      proof: 'kernel',
      judge: (_, missing) => ({
        kind: 'ask',
        reason: 'sure?',
        rule: { name: 'test' },
        confined: true,
        grants: missing.length > 0 ? missing : [first],
      }),
      approver: async () => ({ kind: 'once' }),
    });
    await runtime.runCall({ name: 'act', payload });
    expect(profiles.map((profile) => profile.grants)).toEqual([[first], [first, grant]]);
  });

  test('is not made when the user says no: the first result stands', async () => {
    const { runtime, profiles } = fencedRuntime({ proof: 'kernel', approver: async () => ({ kind: 'deny' }) });
    expect(textOf(await runtime.runCall({ name: 'act', payload }))).toBe('exit 1');
    expect(profiles).toHaveLength(1);
  });

  test('is not offered for a denial that is only inferred', async () => {
    const { runtime, profiles } = fencedRuntime({ proof: 'inferred', approver: async () => ({ kind: 'once' }) });
    expect(textOf(await runtime.runCall({ name: 'act', payload }))).toBe('exit 1');
    expect(profiles).toHaveLength(1);
    expect(runtime.record.of('attempt.denied')[0]).toMatchObject({
      attempt: 1,
      kind: 'write',
      target,
      proof: 'inferred',
    });
  });
});
