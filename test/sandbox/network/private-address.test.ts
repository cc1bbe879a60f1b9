import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { isPrivateAddress } from '../../../src/sandbox/network/private-address.js';
import { propertyRuns } from '../../support/property-runs.js';

describe('is no place on the public internet', () => {
  test.each([
    ['0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255'],
    ['127.0.0.1', '127.255.255.255', '169.254.169.254', '169.254.0.0', '168.63.129.16', '100.100.100.200'],
    ['172.16.0.0', '172.31.255.255', '192.0.0.192', '192.168.0.0', '192.168.255.255', '192.0.2.1'],
    ['198.18.0.0', '198.19.255.255', '198.51.100.1', '203.0.113.1', '192.88.99.1'],
    ['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
    [
      '::',
      '::1',
      '::7f00:1',
      '::127.0.0.1',
      'fe80::1',
      'febf::1',
      'fe80::1%eth0',
      'fec0::1',
      'fc00::',
      'fd00:ec2::254',
    ],
    ['ff02::1', '100::1', '2001::1', '2001:1ff::1', '2001:db8::1', '3fff::1', '5f00::1'],
    ['::ffff:127.0.0.1', '::ffff:a00:1', '::ffff:169.254.169.254', '::ffff:0:127.0.0.1'],
    ['64:ff9b::127.0.0.1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::1.1.1.1', '2002:7f00:1::', '2002:a9fe:a9fe::1'],
    ['', 'localhost', 'example.com', '127.1', '0x7f000001', '1.1.1', '[::1]', ':::', '1.1.1.1/8'],
  ])('%s, %s, ...', (...addresses) => {
    expect(addresses.filter((address) => !isPrivateAddress(address))).toEqual([]);
  });
});

test('other addresses are public', () => {
  const addresses = [
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '169.255.0.0',
    '168.63.129.17',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2606:4700::1111',
    '2001:4860:4860::8888',
    '2001:200::1',
    '2a00::',
    '3ffe::1',
    '2001:db7::1',
    '::ffff:1.1.1.1',
    '64:ff9b::101:101',
    '2002:101:101::1',
  ];
  expect(addresses.filter(isPrivateAddress)).toEqual([]);
});

test('an IPv4 address in a form of IPv6 is what it is alone', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
      const tail = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
      const forms = [`::ffff:${address}`, `0:0:0:0:0:ffff:${tail}`, `64:ff9b::${address}`, `2002:${tail}::`];
      expect(forms.map(isPrivateAddress)).toEqual(forms.map(() => isPrivateAddress(address)));
    }),
    propertyRuns(300),
  );
});
