/** Addresses that are no place on the public internet. What cannot be read counts as one of them. */
import { isIPv4, isIPv6 } from 'node:net';

export function isPrivateAddress(address: string): boolean {
  if (isIPv4(address)) return isPrivateV4(address.split('.').map(Number));
  return !isIPv6(address) || isPrivateV6(bytesOfV6(address));
}

type Range = readonly [bytes: readonly number[], bits: number];

const PRIVATE_V4: readonly Range[] = [
  [[0], 8],
  [[10], 8],
  [[100, 64], 10],
  [[127], 8],
  // Here the clouds keep the credentials of their machines; the one below is another such door.
  [[169, 254], 16],
  [[168, 63, 129, 16], 32],
  [[172, 16], 12],
  [[192, 0, 0], 24],
  [[192, 0, 2], 24],
  [[192, 88, 99], 24],
  [[192, 168], 16],
  [[198, 18], 15],
  [[198, 51, 100], 24],
  [[203, 0, 113], 24],
  [[224], 4],
  [[240], 4],
];

/** Only `2000::/3` is given out at all; these parts of it are not, or lead elsewhere. */
const GLOBAL_V6: Range = [[0x20], 3];
const PRIVATE_V6: readonly Range[] = [
  [[0x20, 0x01, 0x00], 23],
  [[0x20, 0x01, 0x0d, 0xb8], 32],
  [[0x3f, 0xff], 20],
];

/** Forms that hold an IPv4 address, and where in them it begins. */
const MAPPED_V4: Range = [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], 96];
const NAT64: Range = [[0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0], 96];
const SIX_TO_FOUR: Range = [[0x20, 0x02], 16];

function isPrivateV4(bytes: readonly number[]): boolean {
  return PRIVATE_V4.some((range) => isWithin(bytes, range));
}

function isPrivateV6(bytes: readonly number[]): boolean {
  if (isWithin(bytes, MAPPED_V4) || isWithin(bytes, NAT64)) return isPrivateV4(bytes.slice(12));
  if (isWithin(bytes, SIX_TO_FOUR)) return isPrivateV4(bytes.slice(2, 6));
  return !isWithin(bytes, GLOBAL_V6) || PRIVATE_V6.some((range) => isWithin(bytes, range));
}

function isWithin(bytes: readonly number[], [prefix, bits]: Range): boolean {
  for (let bit = 0; bit < bits; bit += 8) {
    const mask = 0xff00 >> Math.min(8, bits - bit);
    const index = bit / 8;
    if (((bytes[index] ?? 0) & mask & 0xff) !== ((prefix[index] ?? 0) & mask & 0xff)) return false;
  }
  return true;
}

function bytesOfV6(address: string): readonly number[] {
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const before = groupBytes(head);
  const after = tail === undefined ? [] : groupBytes(tail);
  return [...before, ...Array.from({ length: 16 - before.length - after.length }, () => 0), ...after];
}

function groupBytes(text: string): readonly number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (group.includes('.')) return group.split('.').map(Number);
    const value = parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}
