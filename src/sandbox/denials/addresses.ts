/** Reads socket addresses as the kernel has them. What a program passes may be anything, so nothing is taken on trust. */
import { hostName } from '../../core/host-name.js';

export type Address = {
  readonly family: 'inet' | 'inet6' | 'unix' | 'netlink';
  /** A number for the internet families, a path or an abstract name (with `@` before it) for `unix`. */
  readonly address?: string;
  readonly port?: number;
};

/** Undefined when it is too short to be one, or of another family. */
export function decodeAddress(bytes: Uint8Array): Address | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.byteLength < 2) return undefined;
  return READERS.get(view.getUint16(0, true))?.(view);
}

type Reader = (view: DataView) => Address | undefined;

/** The numbers are those of Linux, on machines that are little-endian. */
const READERS: ReadonlyMap<number, Reader> = new Map<number, Reader>([
  [1, readUnix],
  [2, readInet],
  [10, readInet6],
  [16, () => ({ family: 'netlink' })],
]);

const INET_BYTES = 8;
const INET6_BYTES = 24;

function readInet(view: DataView): Address | undefined {
  if (view.byteLength < INET_BYTES) return undefined;
  return { family: 'inet', address: dotted(view, 4), port: view.getUint16(2) };
}

/** An IPv4 address in the clothes of IPv6 leads to the same place as without. */
function readInet6(view: DataView): Address | undefined {
  if (view.byteLength < INET6_BYTES) return undefined;
  const groups = Array.from({ length: 8 }, (_, index) => view.getUint16(8 + index * 2));
  const port = view.getUint16(2);
  const isMapped = groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);
  if (isMapped) return { family: 'inet', address: dotted(view, 20), port };
  return { family: 'inet6', address: hostName(groups.map((group) => group.toString(16)).join(':')), port };
}

function dotted(view: DataView, offset: number): string {
  return [0, 1, 2, 3].map((index) => view.getUint8(offset + index)).join('.');
}

/** A first byte of zero begins an abstract name; a path ends at the first zero. Without either it is nobody's. */
function readUnix(view: DataView): Address {
  const name = new Uint8Array(view.buffer, view.byteOffset + 2, view.byteLength - 2);
  if (name.length === 0) return { family: 'unix' };
  if (name[0] === 0) return { family: 'unix', address: `@${text(name.subarray(1))}` };
  const end = name.indexOf(0);
  return { family: 'unix', address: text(end < 0 ? name : name.subarray(0, end)) };
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
