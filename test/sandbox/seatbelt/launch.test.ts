import { expect, test } from 'vitest';

import { absolutePath } from '../../../src/core/paths.js';
import { seatbeltGuarantees } from '../../../src/sandbox/seatbelt/guarantees.js';
import { seatbeltLaunch } from '../../../src/sandbox/seatbelt/launch.js';
import { seatbeltProfile } from '../../../src/sandbox/seatbelt/profile.js';
import { NOTHING_ALLOWED } from '../../../src/sandbox/policy.js';
import { folder, WORKSPACE } from './policies.js';

test('a program is started through sandbox-exec, its own words behind a double dash', () => {
  const policy = { ...NOTHING_ALLOWED, writable: [folder('/a=b')] };
  expect(seatbeltLaunch(['-p', '(allow default)'], policy)).toEqual([
    '/usr/bin/sandbox-exec',
    '-p',
    seatbeltProfile(policy).profile,
    '-DWRITABLE_0=/a=b',
    '-DPINNED_0=/a=b',
    '--',
    '-p',
    '(allow default)',
  ]);
});

test('there has to be a program', () => {
  expect(() => seatbeltLaunch([], NOTHING_ALLOWED)).toThrow(RangeError);
});

test('it guarantees files, and says that localhost is shared and that nothing is limited', () => {
  expect(seatbeltGuarantees(WORKSPACE)).toEqual({
    writes: 'enforced',
    metadata: 'enforced',
    protectedPaths: 'enforced',
    hiddenPaths: 'enforced',
    network: 'loopback',
    unixSockets: 'none',
    processes: 'unsignalled',
    killing: 'marked',
    limits: [],
    sharedLoopback: true,
  });
});

test('the network it guarantees follows from the policy, the proxy and localhost', () => {
  const hosts = { ...NOTHING_ALLOWED, network: { kind: 'hosts' as const, allowed: ['a.org'] } };
  const network = (...given: Parameters<typeof seatbeltGuarantees>) => seatbeltGuarantees(...given).network;
  expect([
    network({ ...NOTHING_ALLOWED, network: { kind: 'open' } }, { localhost: false }),
    network(hosts, { proxyPort: 1, localhost: false }),
    network(hosts),
    network(NOTHING_ALLOWED, { proxyPort: 1, localhost: false }),
    network(NOTHING_ALLOWED, { localhost: false }),
  ]).toEqual(['open', 'hosts', 'loopback', 'loopback', 'none']);
  expect(seatbeltGuarantees(NOTHING_ALLOWED, { localhost: false }).sharedLoopback).toBe(false);
});

test('sockets of its own are guaranteed where it has a folder for them', () => {
  const policy = { ...NOTHING_ALLOWED, unixSockets: 'private' as const };
  expect(seatbeltGuarantees(policy).unixSockets).toBe('none');
  expect(seatbeltGuarantees(policy, { ownFolder: absolutePath('/own') }).unixSockets).toBe('private');
});
