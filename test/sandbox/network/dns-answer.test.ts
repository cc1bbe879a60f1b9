import fc from 'fast-check';
import { expect, test } from 'vitest';

import { addressAnswer, emptyAnswer, parseDnsQuery, refusedAnswer } from '../../../src/sandbox/network/dns-answer.js';
import { propertyRuns } from '../../support/property-runs.js';

function query(labels: readonly (string | Buffer)[], { type = 1, flags = 0x0100, rest = '' } = {}): Buffer {
  const head = Buffer.from('beef00000001000000000000', 'hex');
  head.writeUInt16BE(flags, 2);
  const name = labels.map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([head, ...name, Buffer.from([0, 0, type, 0, 1]), Buffer.from(rest, 'hex')]);
}

function parsed(packet: Buffer) {
  const found = parseDnsQuery(packet);
  if (found === undefined) throw new Error('it is no query');
  return found;
}

test('a question says which name is wanted', () => {
  const { id, name, type, wantsRecursion } = parsed(query(['WWW', 'Example', 'com'], { type: 28 }));
  expect({ id, name, type, wantsRecursion }).toEqual({
    id: 0xbeef,
    name: 'www.example.com',
    type: 28,
    wantsRecursion: true,
  });
});

test('what comes after the question, such as the options of newer clients, is left alone', () => {
  const packet = query(['a'], { rest: '0000291000000000000000' });
  packet.writeUInt16BE(1, 10);
  expect(parsed(packet)).toMatchObject({ name: 'a', question: query(['a']).subarray(12) });
});

test('strange bytes in a name are made visible', () => {
  expect(parsed(query(['a.b', Buffer.from([0, 27, 200, 92, 32])])).name).toBe('a\\046b.\\000\\027\\200\\092\\032');
});

test('the root has a name', () => {
  expect(parsed(query([])).name).toBe('.');
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['half a head', query(['a']).subarray(0, 11)],
  ['an answer', query(['a'], { flags: 0x8100 })],
  ['another kind of question', query(['a'], { flags: 0x2800 })],
  ['one that was cut', query(['a'], { flags: 0x0300 })],
  ['two questions', Buffer.from(query(['a'])).fill(2, 5, 6)],
  ['no question', Buffer.from(query(['a'])).fill(0, 5, 6)],
  ['answers in a question', Buffer.from(query(['a'])).fill(1, 7, 8)],
  ['a name without an end', query(['a']).subarray(0, 14)],
  ['a question without its type', query(['a']).subarray(0, 18)],
  ['a pointer', Buffer.concat([query([]).subarray(0, 12), Buffer.from([0xc0, 12, 0, 1, 0, 1])])],
  ['a label that is too long', query(['a'.repeat(64)])],
  ['a name that is too long', query(['a'.repeat(63), 'b'.repeat(63), 'c'.repeat(63), 'd'.repeat(62)])],
])('%s is no query', (_, packet) => {
  expect(parseDnsQuery(packet)).toBeUndefined();
});

test('the longest name is one', () => {
  expect(parsed(query(['a'.repeat(63), 'b'.repeat(63), 'c'.repeat(63), 'd'.repeat(61)])).name).toHaveLength(253);
});

test('a refusal repeats the question', () => {
  expect(refusedAnswer(parsed(query(['a']))).toString('hex')).toBe('beef8185000100000000000001610000010001');
});

test('an address is given to who asks for one', () => {
  const answer = addressAnswer(parsed(query(['a'])), '127.0.0.53');
  expect(answer.toString('hex')).toBe('beef8180000100010000000001610000010001c00c000100010000000000047f000035');
});

test('who asks for anything else is told that there is none', () => {
  const sixth = parsed(query(['a'], { type: 28, flags: 0 }));
  expect(addressAnswer(sixth, '127.0.0.53')).toEqual(emptyAnswer(sixth));
  expect(emptyAnswer(sixth).toString('hex')).toBe('beef80800001000000000000016100001c0001');
});

test('what is no address is never given as one', () => {
  const asked = parsed(query(['a']));
  expect(addressAnswer(asked, 'example.com')).toEqual(refusedAnswer(asked));
});

test('any bytes are a query or none, and its answers carry its question', () => {
  const valid = query(['www', 'example', 'com'], { rest: '0000291000000000000000' });
  const packet = fc.oneof(
    fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes)),
    mutationsOf(valid),
  );
  fc.assert(
    fc.property(packet, (bytes) => {
      const found = parseDnsQuery(bytes);
      if (found === undefined) return;
      expect(found.name).toMatch(/^[\x21-\x7e]+$/);
      for (const answer of [refusedAnswer(found), emptyAnswer(found), addressAnswer(found, '1.2.3.4')]) {
        expect(answer.subarray(12, 12 + found.question.length)).toEqual(found.question);
        expect(parseDnsQuery(answer)).toBeUndefined();
      }
    }),
    propertyRuns(1_000),
  );
});

function mutationsOf(valid: Buffer): fc.Arbitrary<Buffer> {
  const change = fc.tuple(fc.nat(valid.length - 1), fc.nat(255));
  return fc.tuple(fc.array(change, { maxLength: 4 }), fc.nat(valid.length)).map(([changes, end]) => {
    const bytes = Buffer.from(valid);
    for (const [at, value] of changes) bytes[at] = value;
    return end % 3 === 0 ? bytes.subarray(0, end) : bytes;
  });
}
