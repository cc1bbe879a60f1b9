/** A writable folder, a folder outside of it and a hidden one, on the real disk, with files confined to them. */
import fs from 'node:fs';
import path from 'node:path';

import { FileProblem } from '../../../src/core/file-problem.js';
import { ABSENT } from '../../../src/core/files.js';
import type { FileState, Files } from '../../../src/core/files.js';
import type { AbsolutePath } from '../../../src/core/paths.js';
import type { Denial } from '../../../src/core/workspace.js';
import type { Anchoring } from '../../../src/files/anchor.js';
import { confinedFiles } from '../../../src/sandbox/files/confined-files.js';
import type { Place, ResolvedPolicy } from '../../../src/sandbox/policy.js';
import { tempFolder } from '../../support/temp-folder.js';

export type Grounds = ReturnType<typeof layGrounds>;

/** `ws` is writable, with `.git` protected in it; `outside` is neither; `hidden` holds `secret`. */
export function layGrounds(anchoring?: Anchoring) {
  const top = fs.realpathSync(tempFolder());
  const at = (...names: string[]) => path.join(top, ...names) as AbsolutePath;
  for (const each of ['ws/.git', 'outside', 'hidden']) fs.mkdirSync(at(each), { recursive: true });
  fs.writeFileSync(at('hidden/secret'), 'secret');
  const denials: Denial[] = [];
  let policy: ResolvedPolicy = {
    writable: [placeAt(at('ws'))],
    protected: [placeAt(at('ws/.git'))],
    pinned: [],
    granted: [],
    hidden: [placeAt(at('hidden'))],
    links: [],
    absent: [],
    network: { kind: 'hosts', allowed: [] },
    unixSockets: 'none',
    limits: {},
  };
  const resolve = () => Promise.resolve(policy);
  const files = confinedFiles(
    resolve,
    (denial) => denials.push(denial),
    ...(anchoring === undefined ? [] : [anchoring]),
  );
  return {
    top,
    at,
    denials,
    files,
    change: (part: Partial<ResolvedPolicy>) => {
      policy = { ...policy, ...part };
    },
    write: (file: string, text: string) => outcome(write(files, file as AbsolutePath, text)),
    remove: (file: string) =>
      outcome(files.change([{ path: file as AbsolutePath, before: stateAt(file), after: ABSENT }])),
    read: (file: string) => outcome(readAll(files.open(file as AbsolutePath))),
    content: (...names: string[]) => fs.readFileSync(at(...names), 'utf8'),
    names: (...names: string[]) => fs.readdirSync(at(...names)).toSorted(),
  };
}

export function placeAt(file: AbsolutePath): Place {
  const stats = fs.lstatSync(file);
  return { path: file, kind: stats.isDirectory() ? 'folder' : 'file', device: stats.dev, inode: stats.ino };
}

async function write(files: Files, at: AbsolutePath, text: string): Promise<void> {
  const seen = stateAt(at);
  const before = seen.kind === 'file' ? seen : ABSENT;
  await files.change([{ path: at, before, after: fileOf(text) }]);
}

export function fileOf(text: string): FileState {
  return { kind: 'file', content: Buffer.from(text) };
}

/** What is there, links followed, with no limits. */
function stateAt(file: string): FileState {
  try {
    if (fs.statSync(file).isDirectory()) return { kind: 'folder' };
    return fs.statSync(file).isFile() ? { kind: 'file', content: fs.readFileSync(file) } : ABSENT;
  } catch {
    return ABSENT;
  }
}

/** What came of it: the kind of the problem, or what was read. Anything that is no file problem is thrown. */
async function outcome(work: Promise<string | void>): Promise<string> {
  return work.then(
    (text) => text ?? 'done',
    (error: unknown) => {
      if (error instanceof FileProblem) return error.kind;
      throw error;
    },
  );
}

async function readAll(
  opening: Promise<{ read(into: Uint8Array, at: number): Promise<number>; close(): Promise<void> }>,
) {
  const file = await opening;
  const bytes = Buffer.alloc(4_096);
  const length = await file.read(bytes, 0);
  await file.close();
  return bytes.toString('utf8', 0, length);
}
