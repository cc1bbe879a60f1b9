/** What a SOCKS5 client says (RFC 1928, 1929) and what it is answered. Pure; `more` asks for more bytes. */

import type { Parsed } from './parsed.js';

export type SocksRequest = {
  readonly command: number;
  /** None when the kind of address is not known. */
  readonly host?: string;
  readonly port: number;
};

const SOCKS_VERSION = 5;
export const CONNECT = 1;
const PASSWORD = 2;

export const REPLY = {
  done: 0,
  failed: 1,
  notAllowed: 2,
  unknownCommand: 7,
  unknownAddress: 8,
} as const;

/** Whether it offers to send a password; there is no other way in. */
export function parseGreeting(bytes: Buffer): Parsed<{ readonly offersPassword: boolean }> {
  if ((bytes[0] ?? SOCKS_VERSION) !== SOCKS_VERSION) return { kind: 'bad' };
  const count = bytes[1];
  if (count === undefined || bytes.length < 2 + count) return { kind: 'more' };
  return done({ offersPassword: bytes.subarray(2, 2 + count).includes(PASSWORD) }, 2 + count);
}

export function parsePassword(bytes: Buffer): Parsed<string> {
  if ((bytes[0] ?? 1) !== 1) return { kind: 'bad' };
  const passwordAt = 2 + (bytes[1] ?? 0);
  const length = bytes[passwordAt];
  if (bytes.length < 2 || length === undefined) return { kind: 'more' };
  const end = passwordAt + 1 + length;
  return bytes.length < end ? { kind: 'more' } : done(bytes.toString('utf8', passwordAt + 1, end), end);
}

export function parseRequest(bytes: Buffer): Parsed<SocksRequest> {
  if ((bytes[0] ?? SOCKS_VERSION) !== SOCKS_VERSION || (bytes[2] ?? 0) !== 0) return { kind: 'bad' };
  const [, command, , type, first] = bytes;
  if (command === undefined || type === undefined || first === undefined) return { kind: 'more' };
  const [from, to] = addressRange(type, first);
  if (from === undefined || to === undefined) return done({ command, port: 0 }, bytes.length);
  if (bytes.length < to + 2) return { kind: 'more' };
  const host = hostText(type, bytes.subarray(from, to));
  return done({ command, host, port: bytes.readUInt16BE(to) }, to + 2);
}

export function methodAnswer(offersPassword: boolean): Buffer {
  return Buffer.from([SOCKS_VERSION, offersPassword ? PASSWORD : 0xff]);
}

export function passwordAnswer(isRight: boolean): Buffer {
  return Buffer.from([1, isRight ? 0 : 1]);
}

/** The address we connect from is nobody's business. */
export function requestAnswer(reply: number): Buffer {
  return Buffer.from([SOCKS_VERSION, reply, 0, V4, 0, 0, 0, 0, 0, 0]);
}

const V4 = 1;
const NAME = 3;
const V6 = 4;

function done<Value>(value: Value, length: number): Parsed<Value> {
  return { kind: 'done', value, length };
}

function addressRange(type: number, first: number): readonly [from?: number, to?: number] {
  if (type === V4) return [4, 8];
  if (type === V6) return [4, 20];
  return type === NAME ? [5, 5 + first] : [];
}

function hostText(type: number, bytes: Buffer): string {
  if (type === NAME) return bytes.toString('utf8');
  if (type === V4) return bytes.join('.');
  return (bytes.toString('hex').match(/.{4}/g) ?? []).join(':');
}
