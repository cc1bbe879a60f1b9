import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { parseGreeting, parsePassword, parseRequest } from '../../../src/sandbox/network/socks-messages.js';
import { propertyRuns } from '../../support/property-runs.js';

const NAME = Buffer.from([5, 1, 0, 3, 11, ...Buffer.from('example.com'), 1, 187]);

test('a greeting says whether a password will come', () => {
  expect(parseGreeting(Buffer.from([5, 2, 0, 2, 99]))).toEqual({
    kind: 'done',
    value: { offersPassword: true },
    length: 4,
  });
  expect(parseGreeting(Buffer.from([5, 1, 0, 2]))).toMatchObject({ value: { offersPassword: false }, length: 3 });
  expect(parseGreeting(Buffer.from([5, 0]))).toMatchObject({ value: { offersPassword: false }, length: 2 });
});

test('the password is what comes after the name', () => {
  const login = Buffer.from([1, 2, 0x61, 0x62, 3, 0x78, 0x79, 0x7a, 5]);
  expect(parsePassword(login)).toEqual({ kind: 'done', value: 'xyz', length: 8 });
  expect(parsePassword(Buffer.from([1, 0, 0]))).toEqual({ kind: 'done', value: '', length: 3 });
});

describe('a request names a host', () => {
  test.each([
    ['by name', NAME, { command: 1, host: 'example.com', port: 443 }],
    ['by number', Buffer.from([5, 1, 0, 1, 127, 0, 0, 1, 0, 80]), { command: 1, host: '127.0.0.1', port: 80 }],
    [
      'by a long number',
      Buffer.from([5, 2, 0, 4, ...Buffer.alloc(15), 1, 0, 80]),
      { command: 2, host: '0000:0000:0000:0000:0000:0000:0000:0001', port: 80 },
    ],
    ['in a way nobody knows', Buffer.from([5, 1, 0, 9, 1]), { command: 1, port: 0 }],
  ])('%s', (_, bytes, value) => {
    expect(parseRequest(bytes)).toEqual({ kind: 'done', value, length: bytes.length });
  });
});

test('other versions are not understood', () => {
  expect([parseGreeting(Buffer.from([4, 1])), parsePassword(Buffer.from([5])), parseRequest(Buffer.from([4]))]).toEqual(
    [{ kind: 'bad' }, { kind: 'bad' }, { kind: 'bad' }],
  );
  expect(parseRequest(Buffer.from([5, 1, 1]))).toEqual({ kind: 'bad' });
});

test.each([
  ['greeting', Buffer.from([5, 3, 0, 1, 2]), parseGreeting],
  ['password', Buffer.from([1, 2, 0x61, 0x62, 3, 0x78, 0x79, 0x7a]), parsePassword],
  ['request', NAME, parseRequest],
] as const)('a %s that has not come whole asks for more', (_, bytes, parse) => {
  const kinds = Array.from(bytes, (_byte, end) => parse(bytes.subarray(0, end)).kind);
  expect(kinds).toEqual(kinds.map(() => 'more'));
  expect(parse(bytes).kind).toBe('done');
});

test('any bytes are understood or not, and what is understood lies within them', () => {
  const bytes = fc
    .tuple(fc.constantFrom('', '0501', '0102', '050100', '05010003', '05010004'), fc.uint8Array({ maxLength: 300 }))
    .map(([start, rest]) => Buffer.concat([Buffer.from(start, 'hex'), rest]));
  fc.assert(
    fc.property(bytes, (message) => {
      for (const parse of [parseGreeting, parsePassword, parseRequest]) {
        const parsed = parse(message);
        if (parsed.kind === 'done') expect(parsed.length).toBeLessThanOrEqual(message.length);
      }
    }),
    propertyRuns(1_000),
  );
});
