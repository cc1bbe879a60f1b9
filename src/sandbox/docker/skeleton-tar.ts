/**
 * An image without any program in it: the folders and links of a system, for the host's own to be mounted on. It is
 * written here, so that no registry is needed. The same layout gives the same bytes.
 */
import type { HostLayout } from './host-layout.js';

const BLOCK = 512;

/** There on every system. What is mounted on a path that is not here is made by the engine. */
const FOLDERS = [
  'dev',
  'etc',
  'home',
  'mnt',
  'opt',
  'proc',
  'root',
  'run',
  'srv',
  'sys',
  'tmp',
  'usr',
  'var',
  'var/tmp',
];

export function skeletonTar({ shown, links }: HostLayout): Uint8Array {
  const folders = [...new Set([...FOLDERS, ...shown.flatMap(withParents)])].toSorted();
  const entries = [
    ...folders.map((name) =>
      header({ name: `${name}/`, mode: isScratch(name) ? 0o1777 : 0o755, type: '5', target: '' }),
    ),
    ...links.map(({ path, target }) => header({ name: path.slice(1), mode: 0o777, type: '2', target })),
  ];
  return Buffer.concat([...entries, Buffer.alloc(2 * BLOCK)]);
}

function withParents(path: string): readonly string[] {
  const parts = path.split('/').filter((part) => part !== '');
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

function isScratch(name: string): boolean {
  return name === 'tmp' || name === 'var/tmp';
}

type Entry = { readonly name: string; readonly mode: number; readonly type: '5' | '2'; readonly target: string };

/** A header of the ustar format. Owner, size and time are all zero. */
function header({ name, mode, type, target }: Entry): Buffer {
  const block = Buffer.alloc(BLOCK);
  put(block, 0, 100, name);
  put(block, 100, 8, `${octal(mode, 7)}\0`);
  put(block, 108, 8, `${octal(0, 7)}\0`);
  put(block, 116, 8, `${octal(0, 7)}\0`);
  put(block, 124, 12, `${octal(0, 11)}\0`);
  put(block, 136, 12, `${octal(0, 11)}\0`);
  // The sum is taken with blanks in its own place.
  put(block, 148, 8, ' '.repeat(8));
  put(block, 156, 1, type);
  put(block, 157, 100, target);
  put(block, 257, 8, 'ustar\u000000');
  put(
    block,
    148,
    8,
    `${octal(
      block.reduce((sum, byte) => sum + byte, 0),
      6,
    )}\0 `,
  );
  return block;
}

function put(block: Buffer, offset: number, length: number, text: string): void {
  if (Buffer.byteLength(text) > length) throw new RangeError(`too long for an archive: ${text}`);
  block.write(text, offset, length);
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}
