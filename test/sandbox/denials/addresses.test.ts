import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { hostName } from '../../../src/core/host-name.js';
import { decodeAddress } from '../../../src/sandbox/denials/addresses.js';
import { propertyRuns } from '../../support/property-runs.js';

describe('an address of the kernel', () => {
  test.each([
    ['IPv4', '02 00 01bb 5db8d822 0000000000000000', { family: 'inet', address: '93.184.216.34', port: 443 }],
    ['IPv4 without its padding', '02 00 0035 08080808', { family: 'inet', address: '8.8.8.8', port: 53 }],
    [
      'IPv6',
      '0a 00 0050 00000000 20010db8000000000000000000000001 00000000',
      { family: 'inet6', address: '2001:db8::1', port: 80 },
    ],
    [
      'IPv6 of this machine',
      `0a 00 1f90 00000000 ${'00'.repeat(15)}01`,
      { family: 'inet6', address: '::1', port: 8080 },
    ],
    [
      'IPv4 in the clothes of IPv6',
      '0a 00 01bb 00000000 00000000000000000000ffff7f000001 00000000',
      { family: 'inet', address: '127.0.0.1', port: 443 },
    ],
    ['a socket by its path', '01 00 2f72756e2f61 00 6762', { family: 'unix', address: '/run/a' }],
    ['a path that fills it', '01 00 2f61', { family: 'unix', address: '/a' }],
    ['an abstract name', '01 00 00 6100 62', { family: 'unix', address: '@a\0b' }],
    ['a socket without a name', '01 00', { family: 'unix' }],
    ['netlink', '10 00 0000 00000000 00000000', { family: 'netlink' }],
  ])('%s', (_, hex, expected) => {
    expect(decodeAddress(bytes(hex))).toEqual(expected);
  });

  test.each([
    ['nothing', ''],
    ['half a family', '02'],
    ['IPv4 that is cut', '02 00 01bb 5db8d8'],
    ['IPv6 that is cut', `0a 00 01bb 00000000 ${'00'.repeat(15)}`],
    ['a family that is not known', `28 00 ${'00'.repeat(14)}`],
    ['a family in the wrong order', `00 02 01bb 5db8d822 ${'00'.repeat(8)}`],
  ])('%s is none', (_, hex) => {
    expect(decodeAddress(bytes(hex))).toBeUndefined();
  });

  test('is read where it lies in a larger piece of memory', () => {
    const memory = bytes('ffff 02 00 0035 08080808 ffff');
    expect(decodeAddress(memory.subarray(2, 10))).toEqual({ family: 'inet', address: '8.8.8.8', port: 53 });
    expect(decodeAddress(bytes('ffff 01 00 2f61 ffff').subarray(2, 6))).toEqual({ family: 'unix', address: '/a' });
  });

  test('comes back as it was written', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.nat(65_535), (address, port) => {
        const octets = address.split('.').map(Number);
        const plain = Uint8Array.of(2, 0, port >> 8, port & 255, ...octets);
        const clothed = Uint8Array.of(10, 0, port >> 8, port & 255, 0, 0, 0, 0, ...ZEROS, 255, 255, ...octets);
        expect(decodeAddress(plain)).toEqual({ family: 'inet', address, port });
        expect(decodeAddress(clothed)).toEqual({ family: 'inet', address, port });
      }),
      propertyRuns(200),
    );
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (address) => {
        fc.pre(address.subarray(0, 10).some((byte) => byte > 0));
        const groups = Array.from({ length: 8 }, (_, index) =>
          Buffer.from(address)
            .readUInt16BE(index * 2)
            .toString(16),
        );
        const decoded = decodeAddress(Uint8Array.of(10, 0, 0, 80, 0, 0, 0, 0, ...address));
        expect(decoded).toEqual({ family: 'inet6', address: hostName(groups.join(':')), port: 80 });
      }),
      propertyRuns(200),
    );
  });

  test('is never made of what is none, and no bytes are too strange', () => {
    const family = fc.constantFrom(0, 1, 2, 10, 16, 17, 40, 255);
    fc.assert(
      fc.property(family, fc.uint8Array({ maxLength: 130 }), (first, rest) => {
        const decoded = decodeAddress(Uint8Array.of(first, ...rest));
        const isLongEnough = rest.length >= (LENGTHS.get(first) ?? Infinity) - 1;
        expect(decoded !== undefined).toBe(isLongEnough && rest[0] === 0);
      }),
      propertyRuns(1000),
    );
  });
});

const ZEROS = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/** How many bytes an address of a family has at least. */
const LENGTHS = new Map([
  [1, 2],
  [2, 8],
  [10, 24],
  [16, 2],
]);

function bytes(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
}
