/**
 * Whether what is there is what was seen. It is asked twice: before anything is done, and again right before a name gets
 * its new content. The second time nothing else of this process can run in between, other processes of ours are kept
 * out, and anybody else has microseconds. The whole content is compared then, too: times are too coarse to tell that a
 * file was written twice in a moment.
 */
import fs from 'node:fs';
import type { Stats } from 'node:fs';

import { FileProblem, errorCode } from '../../core/file-problem.js';
import { Moved, identityOf, isSame } from '../anchor.js';
import { kindOf } from '../look-at.js';
import type { Site } from './site.js';

const { O_RDONLY, O_RDWR, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = fs.constants;
const SAFELY = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
const CHUNK = 1_048_576;

export function mustBeAsSeen(site: Site): void {
  const { change, existing } = site;
  const { path, before } = change;
  if (before.kind === 'absent' && existing !== undefined) throw new FileProblem('in-the-way', path);
  if (before.kind === 'absent') return;
  const changed = new FileProblem('changed', path);
  if (existing === undefined || kindOf(existing) !== before.kind) throw changed;
  if (before.kind === 'link' && fs.readlinkSync(nameOf(site)) !== before.target) throw changed;
  if (before.kind === 'file' && !holds(openToReplace(site), existing, before.content)) throw changed;
}

export function nameOf({ spot, name }: Site): string {
  return `${spot.held.anchor.path}/${name}`;
}

/** To rename over a file one needs no right to it, so the right is asked for. A program that runs may be replaced. */
function openToReplace(site: Site): number {
  try {
    return fs.openSync(nameOf(site), (needsRight(site) ? O_RDWR : O_RDONLY) | SAFELY);
  } catch (error) {
    if (errorCode(error) !== 'ETXTBSY') throw error;
    return fs.openSync(nameOf(site), O_RDONLY | SAFELY);
  }
}

/** Whoever may change its mode, and does, could take the right first. */
function needsRight({ change: { after, puttingBack }, existing }: Site): boolean {
  if (after.kind !== 'file' || puttingBack) return false;
  const { mode = existing?.mode } = after;
  const changesMode = ((mode ?? 0) & 0o777) !== ((existing?.mode ?? 0) & 0o777);
  return !changesMode || existing?.uid !== process.geteuid?.();
}

/** The same once more, at the last moment. Gives what the file was then. */
export function confirm(site: Site): Stats | undefined {
  const { path, before } = site.change;
  const changed = (cause?: unknown) => new FileProblem('changed', path, undefined, { cause });
  try {
    if (before.kind === 'link' && fs.readlinkSync(nameOf(site)) !== before.target) throw changed();
    if (before.kind !== 'file' || site.existing === undefined) return undefined;
    const stats = holds(fs.openSync(nameOf(site), O_RDONLY | SAFELY), site.existing, before.content);
    if (stats === undefined) throw changed();
    return stats;
  } catch (error) {
    // It is gone, or something of another kind.
    throw ['ENOENT', 'ELOOP', 'EINVAL', 'ENXIO'].includes(errorCode(error)) ? changed(error) : error;
  }
}

/** Closes the descriptor. Undefined when it holds something else; throws `Moved` when it is another file of that content. */
function holds(descriptor: number, existing: Stats, content: Uint8Array): Stats | undefined {
  try {
    const stats = fs.fstatSync(descriptor);
    if (!stats.isFile() || stats.size !== content.length) return undefined;
    const chunk = Buffer.allocUnsafe(Math.min(content.length, CHUNK));
    for (let at = 0; at < content.length;) {
      const bytesRead = fs.readSync(descriptor, chunk, 0, chunk.length, at);
      if (bytesRead === 0 || !isAt(content, at, chunk.subarray(0, bytesRead))) return undefined;
      at += bytesRead;
    }
    mustBeTheSame(stats, existing);
    return stats;
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Another file with the same content, or the same with other rights: it is looked at anew, so that those are kept. */
function mustBeTheSame(now: Stats, before: Stats): void {
  const kept = now.mode === before.mode && now.uid === before.uid && now.gid === before.gid;
  if (!kept || !isSame(identityOf(now), identityOf(before))) throw new Moved('a file');
}

function isAt(content: Uint8Array, at: number, part: Uint8Array): boolean {
  return Buffer.compare(content.subarray(at, at + part.length), part) === 0;
}
