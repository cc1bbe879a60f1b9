import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { parseClientHello } from '../../../src/sandbox/network/client-hello.js';
import { judgeHello } from '../../../src/sandbox/network/server-name.js';
import { propertyRuns } from '../../support/property-runs.js';
import { clientHello } from './proxy-fixture.js';

function extension(type: number, body: Buffer): Buffer {
  return Buffer.concat([number(type, 2), number(body.length, 2), body]);
}

function number(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
}

function nameEntry(name: string, type = 0): Buffer {
  return Buffer.concat([number(type, 1), number(name.length, 2), Buffer.from(name, 'latin1')]);
}

function serverNames(...entries: readonly Buffer[]): Buffer {
  const list = Buffer.concat(entries);
  return extension(0, Buffer.concat([number(list.length, 2), list]));
}

function message(...extensions: readonly Buffer[]): Buffer {
  const block = Buffer.concat(extensions);
  const fixed = Buffer.concat([number(0x0303, 2), Buffer.alloc(32), Buffer.from('00000213010100', 'hex')]);
  const body = Buffer.concat([fixed, number(block.length, 2), block]);
  return Buffer.concat([number(1, 1), number(body.length, 3), body]);
}

function records(bytes: Buffer, size: number): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    const part = bytes.subarray(at, at + size);
    parts.push(number(22, 1), number(0x0301, 2), number(part.length, 2), part);
  }
  return Buffer.concat(parts);
}

const hello = records(message(serverNames(nameEntry('example.com')), extension(16, Buffer.alloc(3))), 16_384);
const named = { kind: 'hello', serverName: 'example.com', hidden: false };

test('a real client says which server it means', async () => {
  expect(parseClientHello(await clientHello('listed.example'))).toEqual({
    kind: 'hello',
    serverName: 'listed.example',
    hidden: false,
  });
});

test('a real client may leave it out', async () => {
  expect(parseClientHello(await clientHello(undefined))).toEqual({ kind: 'hello', hidden: false });
});

test('it is asked for more until the hello is whole, wherever it is cut', () => {
  const kinds = Array.from(hello, (_, end) => parseClientHello(hello.subarray(0, end)).kind);
  expect(kinds).toEqual(kinds.map(() => 'more'));
  expect(parseClientHello(hello)).toEqual(named);
});

test('a hello may be cut into records of any size, and something may follow it', () => {
  const whole = message(serverNames(nameEntry('example.com')));
  for (const size of [1, 2, 3, 5, 40, 16_384]) expect(parseClientHello(records(whole, size))).toEqual(named);
  expect(parseClientHello(Buffer.concat([records(whole, 7), Buffer.from('more')]))).toEqual(named);
});

test('a name that is encrypted is seen to be there', () => {
  const covered = message(serverNames(nameEntry('example.com')), extension(0xfe0d, Buffer.alloc(9)));
  expect(parseClientHello(records(covered, 16_384))).toEqual({ ...named, hidden: true });
});

test('a hello of old has no extensions at all', () => {
  const old = Buffer.concat([Buffer.from('01000029', 'hex'), Buffer.alloc(34), Buffer.from('00000213010100', 'hex')]);
  expect(parseClientHello(records(old, 16_384))).toEqual({ kind: 'hello', hidden: false });
});

test.each([
  'GET / HTTP/1.1\r\n',
  'SSH-2.0-x',
  '\u0015\u0003\u0001',
  '\u0016\u0002\u0001',
  '\u0016G',
  '\u0080\u002e\u0001',
])('%j is not TLS', (text) => {
  expect(parseClientHello(Buffer.from(text, 'latin1'))).toEqual({ kind: 'not-tls' });
});

describe('nothing is believed of a hello', () => {
  const plain = message(serverNames(nameEntry('example.com')));
  test.each([
    ['with two extensions for names', message(serverNames(nameEntry('a.b')), serverNames(nameEntry('c.d')))],
    ['with two names', message(serverNames(nameEntry('a.b'), nameEntry('c.d')))],
    ['with another kind of name', message(serverNames(nameEntry('a.b', 1)))],
    ['with an empty name', message(serverNames(nameEntry('')))],
    ['with no name in the list', message(extension(0, number(0, 2)))],
    ['with bytes after the list', message(extension(0, Buffer.concat([number(6, 2), nameEntry('a.b'), number(0, 1)])))],
    ['with a strange byte in the name', message(serverNames(nameEntry('a\0.b')))],
    ['with a name that is not ASCII', message(serverNames(nameEntry('é.b')))],
    [
      'with bytes after its extensions',
      Buffer.concat([number(1, 1), number(plain.length - 3, 3), plain.subarray(4), number(0, 1)]),
    ],
    ['that is another message', Buffer.concat([number(2, 1), plain.subarray(1)])],
    ['whose lengths lead out of it', Buffer.from(plain).fill(0xff, 38, 39)],
  ])('%s', (_, bytes) => {
    expect(parseClientHello(records(bytes, 16_384))).toEqual({ kind: 'malformed' });
  });
  test.each([
    ['with an empty record', Buffer.from('1603010000', 'hex')],
    ['with a record that is too long', Buffer.from('1603014001', 'hex')],
    [
      'with another record in the middle of it',
      Buffer.concat([records(plain.subarray(0, 9), 9), Buffer.from('1503010002', 'hex')]),
    ],
  ])('%s', (_, bytes) => {
    expect(parseClientHello(bytes)).toEqual({ kind: 'malformed' });
  });
});

test('any bytes are one of the kinds, and more bytes never change what was decided', () => {
  const change = fc.tuple(fc.nat(hello.length - 1), fc.nat(255));
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 400 }).map((each) => Buffer.from(each)),
    fc.uint8Array({ maxLength: 400 }).map((each) => records(Buffer.concat([number(1, 1), each]), 50)),
    fc.array(change, { maxLength: 5 }).map((changes) => {
      const changed = Buffer.from(hello);
      for (const [at, value] of changes) changed[at] = value;
      return changed;
    }),
  );
  fc.assert(
    fc.property(bytes, fc.uint8Array({ maxLength: 20 }), (first, later) => {
      const parsed = parseClientHello(first);
      if (parsed.kind !== 'more') expect(parseClientHello(Buffer.concat([first, later]))).toEqual(parsed);
    }),
    propertyRuns(1_000),
  );
});

describe('the server name has to be the host that was asked for', () => {
  const to = { host: 'example.com', port: 443 };
  const other = { host: 'example.com', port: 8443 };
  const address = { host: '1.2.3.4', port: 443 };
  const bare = { kind: 'hello', hidden: false } as const;
  test.each([
    ['the same', { ...bare, serverName: 'EXAMPLE.com' }, to, undefined],
    ['another', { ...bare, serverName: 'evil.com' }, to, { host: 'evil.com', port: 443, reason: 'wrong-server-name' }],
    [
      'another elsewhere',
      { ...bare, serverName: 'evil.com' },
      other,
      { host: 'evil.com', port: 8443, reason: 'wrong-server-name' },
    ],
    [
      'one below it',
      { ...bare, serverName: 'a.example.com' },
      to,
      { host: 'a.example.com', port: 443, reason: 'wrong-server-name' },
    ],
    ['none', bare, to, { ...to, reason: 'no-server-name' }],
    ['none elsewhere', bare, other, undefined],
    ['none for an address', bare, address, undefined],
    [
      'a name for an address',
      { ...bare, serverName: 'evil.com' },
      address,
      { host: 'evil.com', port: 443, reason: 'wrong-server-name' },
    ],
    ['a hidden one', { ...bare, serverName: 'example.com', hidden: true }, to, { ...to, reason: 'hidden-server-name' }],
    ['a hidden one elsewhere', { ...bare, hidden: true }, other, { ...other, reason: 'hidden-server-name' }],
    ['no TLS', { kind: 'not-tls' }, to, { ...to, reason: 'not-tls' }],
    ['no TLS elsewhere', { kind: 'not-tls' }, other, undefined],
    ['broken TLS', { kind: 'malformed' }, to, { ...to, reason: 'not-tls' }],
    ['broken TLS elsewhere', { kind: 'malformed' }, other, { ...other, reason: 'not-tls' }],
  ] as const)('%s', (_, seen, asked, refusal) => {
    expect(judgeHello(seen, asked)).toEqual(refusal);
  });
});
