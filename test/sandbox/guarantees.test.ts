import { describe, expect, test } from 'vitest';

import { shortfalls } from '../../src/sandbox/guarantees.js';
import type { Guarantees, ResolvedPolicy } from '../../src/sandbox/policy.js';
import { place, policyOf } from './linux/requests.js';

const EVERYTHING: Guarantees = {
  writes: 'enforced',
  metadata: 'enforced',
  protectedPaths: 'enforced',
  hiddenPaths: 'enforced',
  network: 'hosts',
  unixSockets: 'none',
  processes: 'isolated',
  killing: 'whole',
  limits: ['memoryBytes', 'processes', 'cpuSeconds', 'fileBytes'],
};

const ALL_LIMITS = { memoryBytes: 1, processes: 2, cpuSeconds: 3, fileBytes: 4 };
const HOSTS = { network: { kind: 'hosts', allowed: ['example.com'] } } as const;
const OPEN = { network: { kind: 'open' } } as const;
const HIDDEN = { hidden: [place('/secret')] };
const REVERTED = 'weaker: changes to protected folders such as .git are undone only when the command has ended';

const NONE: readonly string[] = [];

/** What is lacking in a backend that holds to everything else, by what is asked for. */
const TABLE: readonly [string, Partial<Guarantees>, Partial<ResolvedPolicy>, readonly string[]][] = [
  ['everything', {}, { ...HOSTS, ...HIDDEN, limits: ALL_LIMITS }, NONE],
  ['writing is open', { writes: 'open' }, {}, ['missing: files outside of the project can be written']],
  ['metadata is open', { metadata: 'open' }, {}, ['weaker: modes, owners and times of files outside can be changed']],
  ['protection is undone', { protectedPaths: 'reverted' }, {}, [REVERTED]],
  ['protection is none', { protectedPaths: 'open' }, {}, ['missing: protected folders such as .git can be written']],
  ['hiding is none, and nothing is hidden', { hiddenPaths: 'open' }, {}, NONE],
  ['hiding is none, and something is hidden', { hiddenPaths: 'open' }, HIDDEN, ['missing: hidden files can be read']],
  ['the network is open, and should be', { network: 'open' }, OPEN, NONE],
  ['the network is open, and should not be', { network: 'open' }, {}, ['missing: the network is open']],
  ['the network is open, and some hosts are allowed', { network: 'open' }, HOSTS, ['missing: the network is open']],
  ['there is a loopback, and no host is allowed', { network: 'loopback' }, {}, NONE],
  ['there is a loopback only', { network: 'loopback' }, HOSTS, ['missing: allowed hosts cannot be reached']],
  ['there are no sockets', { network: 'none' }, {}, ['weaker: servers on localhost do not work']],
  [
    'there are no sockets, and some hosts allowed',
    { network: 'none' },
    HOSTS,
    ['missing: allowed hosts cannot be reached'],
  ],
  [
    'services can be reached',
    { unixSockets: 'open' },
    {},
    ['missing: services of this machine can be reached through their sockets'],
  ],
  [
    'there are no sockets with a path',
    { unixSockets: 'none' },
    { unixSockets: 'private' },
    ['weaker: sockets with a path do not work'],
  ],
  ['sockets are private', { unixSockets: 'private' }, { unixSockets: 'private' }, NONE],
  [
    'processes are seen',
    { processes: 'unsignalled' },
    {},
    ['weaker: other processes can be seen, and memory that they share be changed'],
  ],
  ['processes are open', { processes: 'open' }, {}, ['weaker: other processes can be seen and ended']],
  [
    'killing is by marks',
    { killing: 'marked' },
    {},
    ['weaker: what a command starts in the background may outlive it'],
  ],
  ['no limit holds, and none is asked for', { limits: [] }, {}, NONE],
  [
    'no limit holds',
    { limits: [] },
    { limits: ALL_LIMITS },
    [
      'weaker: memory cannot be limited',
      'weaker: the number of processes cannot be limited',
      'weaker: processor time cannot be limited',
      'weaker: the size of files cannot be limited',
    ],
  ],
  [
    'some limits hold',
    { limits: ['cpuSeconds'] },
    { limits: { cpuSeconds: 3, fileBytes: 4 } },
    ['weaker: the size of files cannot be limited'],
  ],
];

describe('what a backend lacks when', () => {
  test.each(TABLE)('%s', (_, has, wanted, lacks) => {
    const found = shortfalls(policyOf(wanted), { ...EVERYTHING, ...has });
    expect(found.map(({ kind, text }) => `${kind}: ${text}`)).toEqual(lacks);
  });
});
