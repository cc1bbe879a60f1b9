import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { createMask } from '../../src/replay/mask.js';
import type { MaskOptions } from '../../src/replay/mask.js';
import { propertyRuns } from '../support/property-runs.js';

const HERE: MaskOptions = { folders: ['/project'], home: '/project/.home', programs: () => [], ignore: [] };

describe('what is another one each time does not count', () => {
  const PAIRS: readonly (readonly [one: string, other: string])[] = [
    ['Chunk ID: 1a90f8\nWall time: 0.1224 seconds', 'Chunk ID: 0dbba8\nWall time: 0 seconds'],
    ['Original token count: 51', 'Original token count: 52'],
    ['# duration_ms 45.123', '# duration_ms 7'],
    ['duration_ms: 4.2', 'duration_ms: 5'],
    ['ok 1 - adds (0.345ms)', 'ok 1 - adds (12 ms)'],
    ['3 passed in 0.12s', '3 passed in 1.5s'],
    ['Finished in 2 seconds', 'Finished in 13 seconds'],
    ['2026-01-31T10:11:12.345Z start', '2026-02-01T00:00:00+01:00 start'],
    ['-rw-r--r-- 1 me 5 Jan 31 10:11 a', '-rw-r--r-- 1 me 5 Dec  1  2025 a'],
    ['[10:11:12] built', '[23:59:59] built'],
    ['listening, pid 4711', 'listening, pid 1'],
    ['in /home/me/.tenon/artifacts/4711-0a1b2c3d/1-call.txt;', 'in /t/artifacts/1-deadbeef/1-call.txt;'],
  ];

  test.each(PAIRS)('%j', (one, other) => {
    const mask = createMask(HERE);
    expect(mask(one)).toBe(mask(other));
  });
});

describe('what is not the same stays so', () => {
  const PAIRS: readonly (readonly [one: string, other: string])[] = [
    ['exited with code 0', 'exited with code 1'],
    ['3 passed in 0.12s', '4 passed in 0.12s'],
    ['timeout 30 seconds', 'timeout 60 seconds'],
    ['v1.2.3', 'v1.2.4'],
    ['09:00-11:30', '09:00-12:30'],
    ['/project/a.txt', '/projects/a.txt'],
    ['/project', '/other/project'],
    ['2026-01-31', '2026-02-01'],
    ['/artifacts/1-deadbeef/1-call.txt', '/artifacts/1-deadbeef/2-call.txt'],
  ];

  test.each(PAIRS)('%j', (one, other) => {
    const mask = createMask(HERE);
    expect(mask(one)).not.toBe(mask(other));
  });
});

test('a folder is known by its place, wherever it stands in a text', () => {
  const mask = createMask(HERE);
  expect(mask('at file:///project/a.js:1 and "/project", /project. in /project/.home/rules or /project-2')).toBe(
    'at file://<workspace>/a.js:1 and "<workspace>", <workspace>. in <home>/rules or /project-2',
  );
});

test('all of the disk is no folder to look for', () => {
  const mask = createMask({ ...HERE, folders: ['/'] });
  expect(mask('/usr/bin and /')).toBe('/usr/bin and /');
});

test('a command is known by the call that started it, also one that is started later', () => {
  const programs = new Map<string, number>();
  const mask = createMask({ ...HERE, programs: () => programs });
  expect(mask('session ID 61097')).toBe('session ID 61097');
  programs.set('call_1', 61097);
  expect(mask('session ID 61097, not 610970 or 1.61097')).toBe('session ID <session of call_1>, not 610970 or 1.61097');
});

test.each([/build [0-9a-f]+/, /build [0-9a-f]+/g])(
  'what the user does not want to know is left out first, wherever %s finds it',
  (pattern) => {
    const mask = createMask({ ...HERE, ignore: [pattern] });
    expect(mask('build 12ab in 3s, build 13ab')).toBe('<ignored> in <time>, <ignored>');
  },
);

test('what is masked stays as it is when it is masked again', () => {
  const mask = createMask({ ...HERE, programs: () => [['call_1', 61097]] });
  const word = fc.constantFrom(
    '/project',
    '/project/a',
    '61097',
    '12ms',
    'pid 7',
    'in 3s',
    '10:11:12',
    'one',
    '\n',
    ' ',
  );
  fc.assert(
    fc.property(fc.array(word), (words) => {
      const once = mask(words.join(' '));
      expect(mask(once)).toBe(once);
    }),
    propertyRuns(200),
  );
});
