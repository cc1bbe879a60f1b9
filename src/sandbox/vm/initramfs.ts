/**
 * An archive that Linux unpacks as its first file system: cpio in the `newc` form. Every number and time in it is fixed, so
 * the same files give the same bytes.
 */

export type ArchiveFile =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'file'; readonly path: string; readonly content: Uint8Array; readonly executable?: boolean }
  | { readonly kind: 'device'; readonly path: string; readonly major: number; readonly minor: number };

/** Paths are relative, and a folder comes before what is in it. */
export function initramfs(files: readonly ArchiveFile[]): Uint8Array {
  const entries = files.map((file, index) => entryOf(file, index + 1));
  return Buffer.concat([...entries, record({ name: 'TRAILER!!!', inode: 0, mode: 0, links: 1 })]);
}

const FOLDER_MODE = 0o040755;
const DEVICE_MODE = 0o020600;

function entryOf(file: ArchiveFile, inode: number): Buffer {
  const name = checkedPath(file.path);
  switch (file.kind) {
    case 'folder':
      return record({ name, inode, mode: FOLDER_MODE, links: 2 });
    case 'file':
      return record({ name, inode, mode: file.executable ? 0o100755 : 0o100644, links: 1, content: file.content });
    case 'device':
      return record({ name, inode, mode: DEVICE_MODE, links: 1, device: [file.major, file.minor] });
  }
}

function checkedPath(path: string): string {
  const isPlain = path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
  if (isPlain && !path.includes('\0') && path !== 'TRAILER!!!') return path;
  throw new TypeError(`not a path for an archive: ${JSON.stringify(path)}`);
}

type ArchiveRecord = {
  readonly name: string;
  readonly inode: number;
  readonly mode: number;
  readonly links: number;
  readonly content?: Uint8Array;
  readonly device?: readonly [major: number, minor: number];
};

function record({ name, inode, mode, links, content = new Uint8Array(), device = [0, 0] }: ArchiveRecord): Buffer {
  const nameBytes = Buffer.from(`${name}\0`);
  // Inode, mode, user, group, links, time, size, the archive's device, its own device, length of the name, checksum.
  const fields = [inode, mode, 0, 0, links, 0, content.length, 0, 0, ...device, nameBytes.length, 0];
  const head = `070701${fields.map((field) => field.toString(16).padStart(8, '0')).join('')}`;
  return Buffer.concat([padded(Buffer.concat([Buffer.from(head), nameBytes])), padded(content)]);
}

function padded(bytes: Uint8Array): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
}
