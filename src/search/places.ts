/** Where something is, in the words of whoever asked for it. */
import path from 'node:path';

import { absolutePath, isInside } from '../core/paths.js';
import type { AbsolutePath } from '../core/paths.js';

/** What to put before a path in a folder: relative to the workspace where that lies in it, else whole. */
export function prefixOf(folder: AbsolutePath, workspace: AbsolutePath): string {
  if (folder === workspace) return '';
  const place = isInside(workspace, folder) ? path.relative(workspace, folder) : folder;
  return `${place.replaceAll(path.sep, '/')}/`.replace(/\/+$/, '/');
}

export function splitFile(file: AbsolutePath): { readonly folder: AbsolutePath; readonly file: string } {
  return { folder: absolutePath(path.dirname(file)), file: path.basename(file) };
}
