import { expect, test } from 'vitest';

import { viewSteps } from '../../../src/sandbox/vm/view-steps.js';
import { namedPlace, resolvedPolicy } from './policies.js';

const OPTIONS = { stage: '/s', emptyFile: '/e' };

const READ_ONLY_HOST = [
  ['bind', '/', '/s'],
  ['cover', '/s/dev'],
  ['cover', '/s/proc'],
  ['cover', '/s/run'],
  ['cover', '/s/sys'],
  ['attributes', 'read-only', '/s'],
];

test('without anything else, the whole host is there and read-only, but for what the guest has itself', () => {
  expect(viewSteps(resolvedPolicy(), OPTIONS)).toEqual(READ_ONLY_HOST);
});

test('places are opened from the outside in, checked, and hidden ones are covered last', () => {
  const resolved = resolvedPolicy({
    writable: [namedPlace('/w/sub/deep/er'), namedPlace('/w')],
    pinned: [namedPlace('/w/sub')],
    protected: [namedPlace('/w/sub/.git'), namedPlace('/w/link', 'file')],
    granted: [namedPlace('/w/sub/.git/index', 'file')],
    hidden: [namedPlace('/home/.ssh'), namedPlace('/w/.env', 'file'), namedPlace('/run/secrets')],
  });
  expect(viewSteps(resolved, OPTIONS)).toEqual([
    ...READ_ONLY_HOST,
    ...opened('/w', '/w', 'writable'),
    ...opened('/w/sub', '/s/w/sub', 'writable'),
    ...opened('/w/link', '/s/w/link', 'read-only'),
    ...opened('/w/sub/.git', '/s/w/sub/.git', 'read-only'),
    ...opened('/w/sub/deep/er', '/w/sub/deep/er', 'writable'),
    ...opened('/w/sub/.git/index', '/w/sub/.git/index', 'writable'),
    ['cover', '/s/home/.ssh'],
    ['attributes', 'read-only', '/s/home/.ssh'],
    ['bind', '/e', '/s/w/.env'],
    ['attributes', 'read-only', '/s/w/.env'],
  ]);
});

test('a root that is protected as a whole is read-only', () => {
  const place = namedPlace('/w');
  const steps = viewSteps(resolvedPolicy({ writable: [place], protected: [place] }), OPTIONS);
  expect(steps.slice(READ_ONLY_HOST.length)).toEqual(opened('/w', '/s/w', 'read-only'));
});

test.each(['/', '/run', '/run/user/1000', '/proc/1', '/dev/shm', '/sys'])('writing to %s is refused', (place) => {
  const refused = 'a virtual machine cannot write to';
  expect(() => viewSteps(resolvedPolicy({ writable: [namedPlace(place)] }), OPTIONS)).toThrow(refused);
  expect(() => viewSteps(resolvedPolicy({ granted: [namedPlace(place)] }), OPTIONS)).toThrow(refused);
});

function opened(place: string, from: string, rights: string): readonly unknown[] {
  return [
    ['bind', from, `/s${place}`],
    ['attributes', rights, `/s${place}`],
    ['check', `/s${place}`, '7', String(place.length)],
  ];
}
