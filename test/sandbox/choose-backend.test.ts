import { describe, expect, test } from 'vitest';

import type { Backend, BackendName } from '../../src/sandbox/backend.js';
import { chooseBackend } from '../../src/sandbox/choose-backend.js';
import type { Candidate } from '../../src/sandbox/choose-backend.js';
import { bubblewrapGuarantees } from '../../src/sandbox/linux/bubblewrap.js';
import { cellGuarantees } from '../../src/sandbox/linux/cell.js';
import { fenceGuarantees } from '../../src/sandbox/linux/fence.js';
import type { Guarantees, Limits, ResolvedPolicy } from '../../src/sandbox/policy.js';
import { place, policyOf } from './linux/requests.js';

type Held = (policy: ResolvedPolicy) => Omit<Guarantees, 'limits'>;

const ALL_LIMITS = ['memoryBytes', 'processes', 'cpuSeconds', 'fileBytes'] as const;

/** One that is asked for what it holds to, and never started. */
function works(name: BackendName, held: Held, limits: readonly (keyof Limits)[] = ALL_LIMITS): Candidate {
  const start: Backend['start'] = async () => Promise.reject(new Error('nobody starts anything here'));
  const guarantees = (policy: ResolvedPolicy): Guarantees => ({ ...held(policy), limits });
  return { kind: 'works', backend: { name, writeError: 'EROFS', guarantees, start, close: async () => {} } };
}

const broken = (name: BackendName, reason: string): Candidate => ({ kind: 'broken', name, reason });

const CELL = works('cell', (policy) => cellGuarantees(policy, { proxied: true, freshProc: true }));
const CELL_WITH_SHARED_PROC = works('cell', (policy) => cellGuarantees(policy, { proxied: true, freshProc: false }));
const BUBBLEWRAP = works('bubblewrap', bubblewrapGuarantees);
const FENCE = works('landlock', (policy) => fenceGuarantees(policy, { landlock: 6 }));
const NO_CELL = broken('cell', 'making namespaces: EPERM');
const NO_BUBBLEWRAP = broken('bubblewrap', 'bwrap is not installed');

const SEES_OTHERS = 'other processes can be seen, and memory that they share be changed';

const FENCE_IS_WEAKER = [
  'servers on localhost do not work',
  'changes to protected folders such as .git are undone only when the command has ended',
  'modes, owners and times of files outside can be changed',
  SEES_OTHERS,
  'what a command starts in the background may outlive it',
];

const HOSTS = { network: { kind: 'hosts', allowed: ['example.com'] } } as const;
const OPEN = { network: { kind: 'open' } } as const;
const HIDDEN_INSIDE = { writable: [place('/project')], hidden: [place('/project/secret')] };

type Expected = readonly [BackendName, ...string[]] | string;

/** What is expected: the name of the one that is chosen and what is weaker, or why none is. */
const LADDER: readonly [string, readonly Candidate[], Partial<ResolvedPolicy>, boolean, Expected][] = [
  ['the first that holds to everything', [CELL, BUBBLEWRAP, FENCE], {}, false, ['cell']],
  ['the next where that is broken', [NO_CELL, BUBBLEWRAP, FENCE], {}, false, ['bubblewrap']],
  ['one that holds to everything before one that comes first', [FENCE, CELL], {}, false, ['cell']],
  ['the fence, and what is weaker', [NO_CELL, NO_BUBBLEWRAP, FENCE], {}, false, ['landlock', ...FENCE_IS_WEAKER]],
  [
    'a cell that shows processes, and that',
    [NO_BUBBLEWRAP, FENCE, CELL_WITH_SHARED_PROC],
    {},
    false,
    ['cell', SEES_OTHERS],
  ],
  ['bubblewrap before such a cell', [CELL_WITH_SHARED_PROC, BUBBLEWRAP], {}, false, ['bubblewrap']],
  ['the fence by its name, as it is', [FENCE], {}, true, ['landlock']],
  ['who has a proxy where hosts are allowed', [BUBBLEWRAP, FENCE, CELL], HOSTS, false, ['cell']],
  [
    'nobody where hosts are allowed and there is no proxy',
    [NO_CELL, BUBBLEWRAP, FENCE],
    HOSTS,
    false,
    'cell: making namespaces: EPERM; bubblewrap: allowed hosts cannot be reached; landlock: allowed hosts cannot be reached',
  ],
  ['nobody by a name that cannot', [FENCE], HOSTS, true, 'landlock: allowed hosts cannot be reached'],
  [
    'nobody where nothing works, and why each does not',
    [NO_CELL, NO_BUBBLEWRAP, broken('landlock', 'this kernel has none')],
    {},
    false,
    'cell: making namespaces: EPERM; bubblewrap: bwrap is not installed; landlock: this kernel has none',
  ],
  ['nobody who shows what is hidden', [FENCE], HIDDEN_INSIDE, false, 'landlock: hidden files can be read'],
  ['who hides it', [FENCE, BUBBLEWRAP], HIDDEN_INSIDE, false, ['bubblewrap']],
  ['anybody for the network where all of it is open', [NO_CELL, BUBBLEWRAP], OPEN, false, ['bubblewrap']],
  [
    'one that cannot limit everything, and tells what',
    [NO_CELL, NO_BUBBLEWRAP, works('bubblewrap', bubblewrapGuarantees, [])],
    { limits: { memoryBytes: 1, processes: 2 } },
    false,
    ['bubblewrap', 'memory cannot be limited', 'the number of processes cannot be limited'],
  ],
];

describe('the sandbox that is chosen is', () => {
  test.each(LADDER)('%s', (...[, candidates, policy, named, expected]) => {
    const choice = chooseBackend(candidates, policyOf(policy), named);
    const told = choice.kind === 'none' ? choice.reason : [choice.backend.name, ...choice.weaker];
    expect(told).toEqual(expected);
  });
});

test('a reason is always given when none is chosen', () => {
  const choice = chooseBackend([], policyOf(), false);
  expect(choice.kind === 'none' && choice.reason).not.toBe('');
});
