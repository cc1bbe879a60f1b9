/**
 * The first message of TLS, read just far enough to learn which server is meant. It may be cut into several records
 * and packets: `more` asks to be called again with more bytes, always from the beginning.
 */

export type ClientHello =
  | { readonly kind: 'more' }
  | { readonly kind: 'not-tls' }
  /** TLS, but nothing that could be trusted to mean the same to a server. */
  | { readonly kind: 'malformed' }
  /** `hidden`: the name that counts is encrypted, and the one that can be read is a cover. */
  | { readonly kind: 'hello'; readonly serverName?: string; readonly hidden: boolean };

const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const RECORD_HEADER = 5;
const MESSAGE_HEADER = 4;
const RECORD_LENGTH = 16_384;
const VERSION_AND_RANDOM = 2 + 32;
const SERVER_NAME = 0;
const HOST_NAME = 0;
const ENCRYPTED_CLIENT_HELLO = 0xfe0d;

export function parseClientHello(bytes: Buffer): ClientHello {
  const message = joinRecords(bytes);
  if (!Buffer.isBuffer(message)) return message;
  try {
    return readHello(message);
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'malformed' };
    throw error;
  }
}

/** The whole message, or why there is none. */
function joinRecords(bytes: Buffer): Buffer | ClientHello {
  const parts: Buffer[] = [];
  let held = 0;
  for (let at = 0; ;) {
    const header = bytes.subarray(at, at + RECORD_HEADER);
    if (at === 0 && !beginsLikeTls(header)) return { kind: 'not-tls' };
    if (header.length < RECORD_HEADER) return { kind: 'more' };
    const length = header.readUInt16BE(3);
    if (!beginsLikeTls(header) || length === 0 || length > RECORD_LENGTH) return { kind: 'malformed' };
    const part = bytes.subarray(at + RECORD_HEADER, at + RECORD_HEADER + length);
    parts.push(part);
    held += part.length;
    const message = wholeMessage(parts, held);
    if (message !== undefined) return message;
    if (part.length < length) return { kind: 'more' };
    at += RECORD_HEADER + length;
  }
}

function beginsLikeTls(header: Buffer): boolean {
  return (header[0] ?? HANDSHAKE) === HANDSHAKE && (header[1] ?? 3) === 3;
}

function wholeMessage(parts: readonly Buffer[], held: number): Buffer | ClientHello | undefined {
  if (held === 0) return undefined;
  if (parts[0]?.[0] !== CLIENT_HELLO) return { kind: 'malformed' };
  if (held < MESSAGE_HEADER) return undefined;
  const joined = Buffer.concat(parts);
  const end = MESSAGE_HEADER + joined.readUIntBE(1, 3);
  return held < end ? undefined : joined.subarray(MESSAGE_HEADER, end);
}

/** Throws a RangeError wherever a length leads out of what holds it. */
function readHello(message: Buffer): ClientHello {
  const hello = cursor(message);
  hello.take(VERSION_AND_RANDOM);
  hello.takeBlock(1);
  hello.takeBlock(2);
  hello.takeBlock(1);
  if (hello.isAtEnd()) return { kind: 'hello', hidden: false };
  const extensions = readExtensions(hello.takeBlock(2));
  if (extensions === undefined || !hello.isAtEnd()) return { kind: 'malformed' };
  const hidden = extensions.has(ENCRYPTED_CLIENT_HELLO);
  const named = extensions.get(SERVER_NAME);
  if (named === undefined) return { kind: 'hello', hidden };
  const serverName = readServerName(named);
  return serverName === undefined ? { kind: 'malformed' } : { kind: 'hello', serverName, hidden };
}

/** None when one comes twice: two readers might each believe another one. */
function readExtensions(block: Buffer): ReadonlyMap<number, Buffer> | undefined {
  const extensions = new Map<number, Buffer>();
  const rest = cursor(block);
  while (!rest.isAtEnd()) {
    const type = rest.take(2).readUInt16BE();
    if (extensions.has(type)) return undefined;
    extensions.set(type, rest.takeBlock(2));
  }
  return extensions;
}

/** A list that has always had exactly one entry. */
function readServerName(extension: Buffer): string | undefined {
  const outer = cursor(extension);
  const entry = cursor(outer.takeBlock(2));
  const type = entry.take(1)[0];
  const name = entry.takeBlock(2).toString('latin1');
  const isWhole = outer.isAtEnd() && entry.isAtEnd() && type === HOST_NAME;
  return isWhole && /^[\x21-\x7e]{1,255}$/.test(name) ? name : undefined;
}

type Cursor = {
  readonly take: (length: number) => Buffer;
  /** What follows its own length, which has so many bytes. */
  readonly takeBlock: (lengthBytes: number) => Buffer;
  readonly isAtEnd: () => boolean;
};

function cursor(bytes: Buffer): Cursor {
  let at = 0;
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new RangeError('a length leads out of the message');
    at += length;
    return bytes.subarray(at - length, at);
  };
  return {
    take,
    takeBlock: (lengthBytes) => take(take(lengthBytes).readUIntBE(0, lengthBytes)),
    isAtEnd: () => at === bytes.length,
  };
}
