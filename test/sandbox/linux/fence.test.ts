import { describe, expect, test } from 'vitest';

import { becomeCommand } from '../../../src/sandbox/linux/confinement-steps.js';
import { compileFence, fenceGuarantees } from '../../../src/sandbox/linux/fence.js';
import type { FenceRequest } from '../../../src/sandbox/linux/fence.js';
import type { ResolvedPolicy } from '../../../src/sandbox/policy.js';
import type { Program } from '../../../src/sandbox/runner/program.js';
import { printProgram } from '../../support/print-program.js';
import { comesInOrder, stepOrder } from '../../support/step-order.js';
import { POLICY, REQUEST, TARGET, place, policyOf } from './requests.js';

const FENCE: FenceRequest = {
  ...REQUEST,
  readable: [
    { path: '/usr', isFolder: true },
    { path: '/home/u/notes', isFolder: false },
  ],
};

const programOf = (request: FenceRequest): Program => becomeCommand(compileFence(request), TARGET);

describe('the program of the fence', () => {
  test('is this one, for a policy with something of everything', async () => {
    await expect(printProgram(programOf(FENCE))).toMatchFileSnapshot('golden/fence.txt');
  });

  test('is the same for the same policy, byte by byte', () => {
    expect(programOf(FENCE).bytes).toEqual(programOf(structuredClone(FENCE)).bytes);
  });

  test('mounts nothing and makes no namespaces', () => {
    const calls = new Set(programOf(FENCE).steps.map(({ call }) => call));
    for (const call of ['mount', 'unshare', 'setns', 'mount_setattr', 'move_mount', 'chroot'] as const)
      expect(calls).not.toContain(call);
  });

  test.each([
    [
      'the groups come first, and no new privileges before the filter that watches',
      [
        'joining the control group',
        'Landlock ruleset',
        'allowing ',
        'watching system calls',
        'starting its first process',
      ],
    ],
    [
      'privileges go before Landlock, Landlock before seccomp, and the command is last',
      [
        'starting its first process',
        'limiting ',
        'dropping capabilities',
        'landlock_restrict_self(',
        'filtering system calls',
        'close_range(',
        'changing to its folder',
        'execve(',
      ],
    ],
  ])('in order: %s', (_, texts) => {
    expect(comesInOrder(programOf(FENCE), texts)).toBe(true);
  });

  test.each(['none', 'network', 'paths'] as const)(
    'with the evidence %s, whatever the command leaves behind is adopted before it starts, and ended with it',
    (evidence) => {
      const { lines } = stepOrder(programOf({ ...FENCE, evidence }));
      const fork = lines.findIndex((line) => /^starting its first process: fork\(.*ends all\)$/.test(line));
      const adopting = lines.indexOf('adopting what it leaves behind: prctl(36, 1, 0, 0, 0)');
      expect(adopting).toBeGreaterThanOrEqual(0);
      expect(fork).toBeGreaterThan(adopting);
    },
  );

  test('no terminal of the user is opened by its name', () => {
    const allowed = stepOrder(programOf(FENCE)).lines.filter((line) => line.startsWith('allowing /dev/'));
    expect(allowed.filter((line) => line.includes('/dev/pts'))).toEqual([]);
    expect(allowed.some((line) => line.startsWith('allowing /dev/shm'))).toBe(true);
  });

  test('gives up new privileges before each filter and before Landlock', () => {
    const order = stepOrder(programOf(FENCE));
    expect(order.first('giving up new privileges')).toBeLessThan(order.first('seccomp('));
    expect(order.last('giving up new privileges')).toBeLessThan(order.first('landlock_restrict_self('));
    expect(order.lines.at(-1)).toMatch(/^starting the command: execve\(/);
  });

  test.each([
    ['network', { kind: 'hosts', allowed: [] }, true],
    ['paths', { kind: 'open' }, true],
    ['none', { kind: 'open' }, false],
    ['network', { kind: 'open' }, false],
  ] as const)('with the evidence %s and the network %j it watches: %s', (evidence, network, watches) => {
    const { lines } = stepOrder(programOf({ ...FENCE, evidence, policy: { ...POLICY, network } }));
    expect(lines.some((line) => line.startsWith('watching system calls'))).toBe(watches);
    expect(lines.some((line) => line.includes('fork(watches'))).toBe(watches);
  });
});

describe('what the fence holds to', () => {
  const guarantees = (parts: Partial<ResolvedPolicy>) => fenceGuarantees(policyOf(parts), REQUEST.abilities);

  test('is told as it is', () => {
    expect(fenceGuarantees(POLICY, REQUEST.abilities)).toEqual({
      writes: 'enforced',
      metadata: 'open',
      protectedPaths: 'reverted',
      hiddenPaths: 'enforced',
      network: 'none',
      unixSockets: 'none',
      processes: 'unsignalled',
      killing: 'marked',
    });
  });

  test('is less where Landlock is older and does not keep signals in', () => {
    expect(fenceGuarantees(POLICY, { landlock: 5 }).processes).toBe('open');
  });

  test('is an open network where that is asked for', () => {
    expect(guarantees({ network: { kind: 'open' } }).network).toBe('open');
  });

  test.each([
    ['beside what is writable', { writable: [place('/project')], hidden: [place('/home')] }, 'enforced'],
    ['inside of what is writable', { writable: [place('/project')], hidden: [place('/project/secret')] }, 'open'],
    ['around what is writable', { writable: [place('/home/u/work')], hidden: [place('/home/u/.ssh')] }, 'enforced'],
  ])('is not to hide what lies %s when it cannot', (_, parts, hiddenPaths) => {
    expect(guarantees(parts).hiddenPaths).toBe(hiddenPaths);
  });
});
