import fc from 'fast-check';
import { isIP } from 'node:net';
import { describe, expect, test } from 'vitest';

import { authorityOf, parseAuthority, parseHost } from '../../../src/sandbox/network/destination.js';
import { propertyRuns } from '../../support/property-runs.js';

describe('a host is written in one way', () => {
  test.each([
    ['Example.COM:443', 'example.com'],
    ['example.com.:443', 'example.com'],
    ['faß.de:443', 'xn--fa-hia.de'],
    ['_service.example.com:443', '_service.example.com'],
    ['127.0.0.1:443', '127.0.0.1'],
    ['127.1:443', '127.0.0.1'],
    ['2130706433:443', '127.0.0.1'],
    ['0x7f000001:443', '127.0.0.1'],
    ['0x7f.0.0.1:443', '127.0.0.1'],
    ['0177.0.0.01:443', '127.0.0.1'],
    ['017700000001:443', '127.0.0.1'],
    ['１２７。0。0。1:443', '127.0.0.1'],
    ['127.0.0.1.:443', '127.0.0.1'],
    ['[::1]:443', '::1'],
    ['[0:0:0:0:0:0:0:1]:443', '::1'],
    ['[::ffff:127.0.0.1]:443', '127.0.0.1'],
    ['[::FFFF:7f00:1]:443', '127.0.0.1'],
    ['[fe80::1%eth0]:443', 'fe80::1'],
    ['[fe80::1%25eth0]:443', 'fe80::1'],
  ])('%s', (text, host) => {
    expect(parseAuthority(text)).toEqual({ host, port: 443 });
  });
});

describe('what has no single meaning has none', () => {
  test.each([
    '',
    ':443',
    'example.com',
    'example.com:',
    'example.com:0',
    'example.com:65536',
    'example.com:+80',
    'example.com:443:80',
    'example.com:80 ',
    'listed.example@evil.com:443',
    'listed.example:80@evil.com:443',
    'listed.example\\@evil.com:443',
    'listed.example%00.evil.com:443',
    'listed.example/.evil.com:443',
    'listed.example?evil.com:443',
    'listed.example#evil.com:443',
    'listed example:443',
    '*.example.com:443',
    '*:443',
    'a..b:443',
    'example.com。:443',
    '1.2.3.4.5:443',
    '256.256.256.256:443',
    'a.b.0x1:443',
    'a.b.7:443',
    '::1:443',
    '[::1:443',
    '[::1]]:443',
    '[example.com]:443',
    '[v1.a]:443',
    '-o.example:443',
    `${'a'.repeat(64)}.com:443`,
    `${'a.'.repeat(130)}com:443`,
    'example.com\r\nx:443',
    'example.com\0:443',
  ])('%j', (text) => {
    expect(parseAuthority(text)).toBeUndefined();
  });
});

test('a port is added only where there is an ordinary one', () => {
  expect(parseAuthority('example.com', 80)).toEqual({ host: 'example.com', port: 80 });
  expect(parseAuthority('[::1]', 80)).toEqual({ host: '::1', port: 80 });
});

test('a host without brackets may be an address', () => {
  expect(parseHost('::ffff:10.0.0.1', 1)).toEqual({ host: '10.0.0.1', port: 1 });
  expect(parseHost('Example.com', 65_535)).toEqual({ host: 'example.com', port: 65_535 });
  expect(parseHost('a@b', 1)).toBeUndefined();
  expect(parseHost('[::1]', 1)).toBeUndefined();
  expect(parseHost('example.com', 0)).toBeUndefined();
});

test('every text gives a plain host or none, and reading it again changes nothing', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.domain(),
    fc.ipV4Extended(),
    fc.ipV6().map((address) => `[${address}]`),
    fc.stringMatching(/^[\d.x:[\]@%a-f*]{1,20}$/),
  );
  fc.assert(
    fc.property(text, (host) => {
      const to = parseAuthority(`${host}:80`);
      if (to === undefined) return;
      expect(isIP(to.host) !== 0 || /^[a-z\d_.-]+$/.test(to.host)).toBe(true);
      expect(parseAuthority(authorityOf(to))).toEqual(to);
      expect(parseHost(to.host, 80)).toEqual(to);
    }),
    propertyRuns(200, 50_000),
  );
});
