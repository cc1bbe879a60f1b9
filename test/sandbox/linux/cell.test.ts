import { describe, expect, test } from 'vitest';

import { absolutePath } from '../../../src/core/paths.js';
import { cellGuarantees, compileCell } from '../../../src/sandbox/linux/cell.js';
import type { CellRequest } from '../../../src/sandbox/linux/cell.js';
import { becomeCommand } from '../../../src/sandbox/linux/confinement-steps.js';
import type { ResolvedPolicy } from '../../../src/sandbox/policy.js';
import type { Program } from '../../../src/sandbox/runner/program.js';
import { decodeProgram } from '../../support/decode-program.js';
import { printProgram } from '../../support/print-program.js';
import { comesInOrder, stepOrder } from '../../support/step-order.js';
import { POLICY, REQUEST, TARGET, place, policyOf } from './requests.js';

const ROOM = { user: 5, network: 6, ipc: 7 };
const IDENTITY = { user: 1000, group: 100 };
const CELL: CellRequest = { ...REQUEST, identity: IDENTITY, room: ROOM };

function programOf(request: CellRequest): Program {
  return becomeCommand(compileCell(request), TARGET);
}

function linesWith(parts: Partial<ResolvedPolicy>, change: Partial<CellRequest> = {}): readonly string[] {
  return stepOrder(programOf({ ...CELL, ...change, policy: policyOf(parts) })).lines;
}

describe('the program of a cell', () => {
  test('is this one, for a policy with something of everything', async () => {
    await expect(printProgram(programOf(CELL))).toMatchFileSnapshot('golden/cell.txt');
  });

  test('is this one without a room, in another root, on a copy, and without evidence', async () => {
    const overlays = [{ lower: '/project', upper: '/stage/a,b/upper', work: '/stage/a:b/work' }];
    const { room: _, ...request } = CELL;
    const policy = policyOf({ writable: [place('/project')], hidden: [place('/secret')], network: { kind: 'open' } });
    const program = programOf({
      ...request,
      groups: [],
      policy,
      root: '/jail',
      overlays,
      emptied: [absolutePath('/run')],
      evidence: 'none',
    });
    await expect(printProgram(program)).toMatchFileSnapshot('golden/cell-in-root.txt');
  });

  test('has the same steps on the other architecture, only with other numbers', () => {
    const other = programOf({ ...CELL, abilities: { ...CELL.abilities, architecture: 'arm64' } });
    expect(printProgram(other)).toBe(printProgram(programOf(CELL)));
    expect(decodeProgram(other.bytes).steps[0]?.number).not.toBe(decodeProgram(programOf(CELL).bytes).steps[0]?.number);
  });

  test('is the same for the same policy, byte by byte', () => {
    expect(programOf(CELL).bytes).toEqual(programOf(structuredClone(CELL)).bytes);
  });
});

describe('the order in a cell', () => {
  test.each([
    ['it joins its groups before its namespaces hide them', ['joining the control group', 'making namespaces']],
    ['its mounts are its own before one is made', ['making namespaces', 'separating its mounts', 'taking ']],
    ['all is taken before all is read-only', ['taking ', 'making the file system read-only', 'mounting /']],
    [
      'hidden places are covered last of all mounts',
      ['mounting /', 'making its devices', 'hiding ', 'Landlock ruleset'],
    ],
    ['rules are made before anything is watched', ['allowing ', 'watching system calls', 'starting its first process']],
    ['its /proc is mounted by the first process', ['its first process', 'mounting its /proc', 'its second process']],
    [
      'privileges go before Landlock, Landlock before seccomp, and the command is last',
      [
        'limiting ',
        'dropping capabilities',
        'giving up new privileges',
        'landlock_restrict_self(',
        'filtering system calls',
        'close_range(',
        'changing to its folder',
        'execve(',
      ],
    ],
  ])('%s', (_, texts) => {
    expect(comesInOrder(programOf(CELL), texts)).toBe(true);
  });

  test('a folder is emptied before what may be written in it is mounted', () => {
    const emptied = [absolutePath('/run')];
    const program = programOf({ ...CELL, policy: policyOf({ writable: [place('/run/work')] }), emptied });
    expect(comesInOrder(program, ['taking /run/work', 'emptying /run', 'mounting /run/work', 'allowing /run'])).toBe(
      true,
    );
  });

  test('another root is read-only before anything is mounted in it, and entered with the privileges for it', () => {
    const program = programOf({ ...CELL, root: '/jail' });
    const texts = [
      'file system read-only',
      'mounting /jail:',
      'mounting /jail/',
      'the root /jail',
      'dropping capabilities',
    ];
    expect(comesInOrder(program, texts)).toBe(true);
  });

  test('what lies deeper is mounted later, so that a protected place covers a writable one', () => {
    const mounted = stepOrder(programOf(CELL)).lines.filter((line) => /^mounting \/.*mount_setattr/.test(line));
    expect(mounted.map((line) => `${/^mounting (.*?):/.exec(line)?.[1]} ${attributesIn(line)}`)).toEqual([
      '/project writable',
      '/tmp writable',
      '/project/deep writable',
      '/project/.git read-only',
      '/project/.env read-only',
      '/srv/cache writable',
      '/project/deep/inner writable',
      '/project/.git/index writable',
      '/project/deep/inner/.git read-only',
    ]);
  });

  test('a right to what is protected wins over the protection of that very thing', () => {
    const both = linesWith({
      writable: [place('/project')],
      protected: [place('/project/a')],
      granted: [place('/project/a')],
    });
    const mounted = both.filter((line) => /^mounting \/project\/a:.*mount_setattr/.test(line));
    expect(mounted.map(attributesIn)).toEqual(['writable']);
  });

  test('the command is the last step, and nothing may fail on the way but what says so', () => {
    const { lines } = stepOrder(programOf(CELL));
    expect(lines.at(-1)).toMatch(/^starting the command: execve\(/);
    const forgiven = lines.filter((line) => line.includes('[may fail'));
    expect([...new Set(forgiven.map((line) => line.replace(/:.*/, '')))].toSorted()).toEqual([
      'allowing its own streams',
      'closing a descriptor',
      'dropping capabilities',
      'limiting core dumps',
      'limiting file size',
      'limiting processes',
      'limiting processor time',
    ]);
  });
});

function attributesIn(line: string): string {
  return / \[(\d+), 0, 0, 0\]/.exec(line)?.[1] === '7' ? 'read-only' : 'writable';
}

describe('parts of a cell', () => {
  test('without evidence nothing is watched', () => {
    expect(linesWith({}, { evidence: 'none' }).join('\n')).not.toContain('watching');
    expect(linesWith({}, { evidence: 'paths' }).join('\n')).toContain('watching');
  });

  test('no /proc is mounted where none can be', () => {
    const abilities = { ...CELL.abilities, freshProc: false };
    expect(linesWith({}, { abilities }).join('\n')).not.toContain('mounting its /proc');
  });

  test('only limits that were asked for are set', () => {
    const limited = linesWith({ limits: { cpuSeconds: 3 } }).filter((line) => line.startsWith('limiting'));
    expect(limited).toEqual([
      'limiting core dumps: prlimit64(0, 4, [0, 0], 0) [may fail]',
      'limiting processor time: prlimit64(0, 0, [3, 3], 0) [may fail]',
    ]);
  });

  test('so many protected places as a large workspace has do not keep a command from starting', () => {
    const repositories = Array.from({ length: 400 }, (_, index) => place(`/project/${index}/.git`));
    const pinned = Array.from({ length: 400 }, (_, index) => place(`/project/${index}`));
    expect(() => linesWith({ writable: [place('/project')], protected: repositories, pinned })).not.toThrow();
  });
});

describe('what a cell holds to', () => {
  test.each([
    ['with a proxy', POLICY, true, 'hosts'],
    ['without a proxy', POLICY, false, 'loopback'],
    ['with an open network', { ...POLICY, network: { kind: 'open' } } as const, true, 'open'],
  ])('is everything, %s', (_, policy, proxied, network) => {
    expect(cellGuarantees(policy, { proxied, freshProc: true })).toEqual({
      writes: 'enforced',
      metadata: 'enforced',
      protectedPaths: 'enforced',
      hiddenPaths: 'enforced',
      network,
      unixSockets: 'none',
      processes: 'isolated',
      killing: 'whole',
    });
  });

  test('is not to keep other processes from being seen where /proc is that of the machine', () => {
    const { processes, ...rest } = cellGuarantees(POLICY, { proxied: true, freshProc: false });
    expect(processes).toBe('unsignalled');
    expect({ ...rest, processes: 'isolated' }).toEqual(cellGuarantees(POLICY, { proxied: true, freshProc: true }));
  });
});
