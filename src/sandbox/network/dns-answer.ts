/**
 * Just enough DNS (RFC 1035) to learn which name a program wanted, and to answer it without asking anybody. Pure; a
 * packet that is no plain question gives nothing.
 */
import { isIPv4 } from 'node:net';

export type DnsQuery = {
  readonly id: number;
  /** In lower case, without the final dot, printable: every unusual byte is written as `\ddd`. `.` is the root. */
  readonly name: string;
  readonly type: number;
  /** As it came, to be sent back. */
  readonly question: Buffer;
  readonly wantsRecursion: boolean;
};

const HEADER = 12;
const LONGEST_NAME = 255;
const LONGEST_LABEL = 63;
const TYPE_A = 1;
const CLASS_IN = 1;
const RECURSION_DESIRED = 0x0100;
/** An answer; recursion is available, or some clients go on looking. */
const ANSWER_FLAGS = 0x8080;
const REFUSED = 5;
/** What follows a name that is the one in the question. */
const POINTER_TO_QUESTION = 0xc000 | HEADER;

export function parseDnsQuery(packet: Buffer): DnsQuery | undefined {
  if (packet.length < HEADER) return undefined;
  const flags = packet.readUInt16BE(2);
  // Questions only, of the ordinary kind and whole: `QR`, `OPCODE` and `TC` are all zero.
  if ((flags & 0xfa00) !== 0 || packet.readUInt16BE(4) !== 1 || packet.readUInt32BE(6) !== 0) return undefined;
  const labels = readLabels(packet);
  if (labels === undefined || packet.length < labels.end + 4) return undefined;
  return {
    id: packet.readUInt16BE(0),
    name: labels.name,
    type: packet.readUInt16BE(labels.end),
    question: Buffer.from(packet.subarray(HEADER, labels.end + 4)),
    wantsRecursion: (flags & RECURSION_DESIRED) !== 0,
  };
}

export function refusedAnswer(query: DnsQuery): Buffer {
  return Buffer.concat([header(query, { code: REFUSED, answers: 0 }), query.question]);
}

/** There is such a name, but nothing of that type. */
export function emptyAnswer(query: DnsQuery): Buffer {
  return Buffer.concat([header(query, { code: 0, answers: 0 }), query.question]);
}

/** The address for who asks for one, and nothing for who asks for anything else, IPv6 included. */
export function addressAnswer(query: DnsQuery, ipv4: string): Buffer {
  if (!isIPv4(ipv4)) return refusedAnswer(query);
  if (query.type !== TYPE_A) return emptyAnswer(query);
  const record = Buffer.alloc(12);
  record.writeUInt16BE(POINTER_TO_QUESTION, 0);
  record.writeUInt16BE(TYPE_A, 2);
  record.writeUInt16BE(CLASS_IN, 4);
  // The four bytes before this one say that nobody may remember the answer.
  record.writeUInt16BE(4, 10);
  const address = Buffer.from(ipv4.split('.').map(Number));
  return Buffer.concat([header(query, { code: 0, answers: 1 }), query.question, record, address]);
}

function header(query: DnsQuery, { code, answers }: { readonly code: number; readonly answers: number }): Buffer {
  const bytes = Buffer.alloc(HEADER);
  bytes.writeUInt16BE(query.id, 0);
  bytes.writeUInt16BE(ANSWER_FLAGS | (query.wantsRecursion ? RECURSION_DESIRED : 0) | code, 2);
  bytes.writeUInt16BE(1, 4);
  bytes.writeUInt16BE(answers, 6);
  return bytes;
}

/** A pointer has no business in a question, so every label is followed by the next. */
function readLabels(packet: Buffer): { readonly name: string; readonly end: number } | undefined {
  const labels: string[] = [];
  for (let at = HEADER; at - HEADER < LONGEST_NAME;) {
    const length = packet[at];
    if (length === undefined || length > LONGEST_LABEL || at + 1 + length > packet.length) return undefined;
    if (length === 0) return { name: labels.join('.') || '.', end: at + 1 };
    labels.push(printable(packet.subarray(at + 1, at + 1 + length)));
    at += 1 + length;
  }
  return undefined;
}

/** A dot inside of a label is no border. */
function printable(label: Buffer): string {
  return label
    .toString('latin1')
    .replace(/[^A-Za-z\d_-]/g, (character) => `\\${String(character.charCodeAt(0)).padStart(3, '0')}`)
    .toLowerCase();
}
