import { describe, expect, test } from 'vitest';

import { absolutePath } from '../../src/index.js';
import type { Effect, Intent } from '../../src/index.js';
import { APPROVAL_POLICIES, toApprovalPolicy } from '../../src/policy/approval-policy.js';
import { judge } from '../../src/policy/judge.js';
import type { JudgeContext } from '../../src/policy/judge.js';

const cwd = absolutePath('/project');
const context: JudgeContext = {
  approvalPolicy: 'on-request',
  sandboxMode: 'workspace-write',
  writableRoots: [cwd],
  network: false,
  confinement: { kind: 'available' },
  missing: [],
};

const read: Effect = { kind: 'read', path: absolutePath('/etc/hosts') };
const writeInside: Effect = { kind: 'write', path: absolutePath('/project/a/b') };
const writeOutside: Effect = { kind: 'write', path: absolutePath('/projects/a') };
const exec: Effect = { kind: 'exec', argv: ['ls'], cwd };
const connect: Effect = { kind: 'connect', host: 'example.com' };
const remoteRead: Effect = { kind: 'remote', server: 's', tool: 't', readOnly: true, destructive: false };
const remoteWrite: Effect = { kind: 'remote', server: 's', tool: 't', readOnly: false, destructive: false };

/** Verdict and confinement in one word: `allow`, `allow unconfined`, `ask`, `ask unconfined` or `deny`. */
function verdict(intent: Intent | Effect, change: Partial<JudgeContext> = {}): string {
  const reached = judge('effects' in intent ? intent : { effects: [intent] }, { ...context, ...change });
  if (reached.kind === 'deny') return 'deny';
  return reached.confined ? reached.kind : `${reached.kind} unconfined`;
}

describe('in the workspace-write sandbox', () => {
  test.each<readonly [string, Effect, string]>([
    ['reading anywhere', read, 'allow'],
    ['writing inside', writeInside, 'allow'],
    ['writing into a folder whose name only begins alike', writeOutside, 'ask'],
    ['a command', exec, 'allow'],
    ['the network', connect, 'ask'],
    ['a remote tool that only reads', remoteRead, 'allow'],
    ['a remote tool that may change things', remoteWrite, 'ask unconfined'],
    ['something new', { kind: 'teleport' } as never, 'ask unconfined'],
  ])('%s', (_, effect, expected) => {
    expect(verdict(effect)).toBe(expected);
    expect(verdict(effect, { approvalPolicy: 'never' })).toBe(expected.startsWith('ask') ? 'deny' : expected);
  });

  test('one effect that needs asking makes the whole call ask', () => {
    expect(verdict({ effects: [read, writeInside, writeOutside] })).toBe('ask');
  });

  test('a yes grants just what was in the way, and leaves the sandbox only if nothing less helps', () => {
    expect(judge({ effects: [writeOutside, connect] }, context)).toEqual({
      kind: 'ask',
      reason: 'writing outside of the project: /projects/a; network access to example.com',
      rule: { name: 'outside-writable-roots' },
      confined: true,
      grants: [
        { kind: 'write', path: '/projects/a' },
        { kind: 'connect', host: 'example.com' },
      ],
    });
    expect(verdict({ effects: [writeOutside, remoteWrite] })).toBe('ask unconfined');
  });
});

test('read-only does not write inside either', () => {
  expect(verdict(writeInside, { sandboxMode: 'read-only' })).toBe('ask');
});

test('without a sandbox for commands none runs unasked', () => {
  const confinement = { kind: 'none', reason: 'not here' } as const;
  expect(verdict(exec, { confinement })).toBe('ask unconfined');
  expect(judge({ effects: [exec] }, { ...context, confinement, approvalPolicy: 'never' })).toEqual({
    kind: 'deny',
    reason:
      'sandbox could not start: not here; rejected by user approval settings: the approval policy is never, so nobody can be asked.',
    rule: { name: 'no-sandbox' },
  });
});

test('full access allows what the policy does not ask about', () => {
  const full = { sandboxMode: 'danger-full-access' } as const;
  expect(APPROVAL_POLICIES.map((approvalPolicy) => verdict(exec, { ...full, approvalPolicy }))).toEqual([
    'ask unconfined',
    'ask unconfined',
    'allow unconfined',
    'allow unconfined',
    'allow unconfined',
  ]);
  expect(verdict(read, { ...full, approvalPolicy: 'always' })).toBe('allow unconfined');
});

test('asking to leave the sandbox is a question under some policies and refused under others', () => {
  const intent = { effects: [exec], escalate: { reason: 'May I?' } };
  expect(APPROVAL_POLICIES.map((approvalPolicy) => verdict(intent, { approvalPolicy }))).toEqual([
    'ask unconfined',
    'ask unconfined',
    'ask unconfined',
    'deny',
    'deny',
  ]);
  expect(judge(intent, { ...context, approvalPolicy: 'never' })).toMatchObject({
    reason: expect.stringMatching(
      /^approval policy is never; reject command — you cannot ask for escalated permissions/,
    ),
  });
});

test('a missing right is asked for and granted inside the sandbox', () => {
  const missing = [{ kind: 'connect', host: 'example.com' }] as const;
  expect(verdict(exec, { missing })).toBe('ask');
  expect(verdict(exec, { missing, approvalPolicy: 'never' })).toBe('deny');
});

test('every word for a policy is understood, and no other', () => {
  expect(['none', 'required', 'sandbox', 'never', 'constructor', '__proto__', ''].map(toApprovalPolicy)).toEqual([
    'never',
    'always',
    'on-failure',
    'never',
    undefined,
    undefined,
    undefined,
  ]);
});
