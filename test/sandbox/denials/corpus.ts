/** What programs print, by what is to be made of it, and the folders that it was printed in. */
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'smol-toml';
import { z } from 'zod/mini';

import { tempFolder } from '../../support/temp-folder.js';

const printed = {
  program: z.string(),
  error: z.optional(z.enum(['EROFS', 'EACCES', 'EPERM'])),
  exit: z.optional(z.int()),
  cwd: z.optional(z.string()),
  unwritable: z.optional(z.array(z.string())),
  output: z.string(),
};
const schema = z.strictObject({
  stopped: z.array(z.strictObject({ ...printed, targets: z.array(z.string()) })),
  inferred: z.array(z.strictObject(printed)),
  ordinary: z.array(z.strictObject(printed)),
});

export const corpus = schema.parse(parse(readFileSync(path.join(import.meta.dirname, 'corpus.toml'), 'utf8')));

export type Printed = (typeof corpus)['ordinary'][number];

/** Folders as they were when the programs ran; the names in braces stand for them. */
export function places(): { readonly folder: string; readonly fill: (text: string) => string } {
  const folder = realpathSync(tempFolder());
  for (const name of FOLDERS) mkdirSync(path.join(folder, name), { recursive: true });
  for (const name of FILES.split(' ')) writeFileSync(path.join(folder, name), '');
  symlinkSync(path.join(folder, 'outside/kept.txt'), path.join(folder, 'ws/link-out.txt'));
  return { folder, fill: (text) => text.replaceAll(/\{(ws|home|outside|hidden|granted)\}/g, `${folder}/$1`) };
}

const FOLDERS = [
  ...'ws/sub ws/own ws/.git/refs/heads ws/.git/refs/tags ws/.git/hooks home/.cache hidden granted'.split(' '),
  ...'outside/folder outside/empty outside/repo/.git outside/dpkg'.split(' '),
  ...Array.from({ length: 10 }, (_, index) => `outside/d${index + 1}`),
];

const FILES =
  'ws/a.txt ws/sub/b.txt ws/.git/config home/.gitconfig hidden/key outside/kept.txt outside/folder/inner.txt';
