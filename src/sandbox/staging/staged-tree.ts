/** The folder that an overlay wrote to, read as a tree. Nothing in it is believed to be readable or well named. */
import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import type { BigIntStats } from 'node:fs';

import { messageOf } from '../../core/errors.js';
import { absolutePath } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';
import { factsOf } from './facts.js';
import type { Facts } from '../../core/staging.js';
import { readMarks } from './overlay-marks.js';
import type { Marked, ReadXattrs } from './overlay-marks.js';

export type StagedEntry = {
  readonly name: string;
  readonly facts: Facts;
  readonly isWhiteout: boolean;
  readonly isOpaque: boolean;
  readonly isCopied: boolean;
  readonly problem?: string;
  readonly children: readonly StagedEntry[];
};

export const ODD_NAME = 'its name is not valid UTF-8';

type Node = {
  readonly name: string;
  readonly path: AbsolutePath;
  readonly facts: Facts;
  readonly isDeletion: boolean;
  problem?: string;
  readonly children: Node[];
};

export async function readStagedTree(upper: AbsolutePath, readXattrs: ReadXattrs): Promise<StagedEntry> {
  const nodes: Node[] = [];
  const root = nodeOf('.', upper, await lstat(upper, { bigint: true }));
  await walk(root, nodes);
  return withMarks(root, nodes, readXattrs);
}

async function walk(node: Node, nodes: Node[]): Promise<void> {
  nodes.push(node);
  if (node.problem !== undefined) return;
  try {
    if (node.facts.entry === 'file') await mustBeReadable(node.path);
    if (node.facts.entry !== 'folder') return;
    for (const child of await childrenOf(node.path)) {
      node.children.push(child);
      await walk(child, nodes);
    }
  } catch (error) {
    node.problem = `it cannot be read: ${messageOf(error)}`;
  }
}

async function mustBeReadable(file: AbsolutePath): Promise<void> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  await handle.close();
}

async function childrenOf(folder: AbsolutePath): Promise<readonly Node[]> {
  const children: Node[] = [];
  for (const bytes of await readdir(folder, { encoding: 'buffer' })) {
    const name = bytes.toString();
    const stats = await lstat(Buffer.concat([Buffer.from(`${folder}/`), bytes]), { bigint: true });
    const node = nodeOf(name, absolutePath(`${folder}/${name}`), stats);
    if (!isUtf8(bytes)) node.problem = ODD_NAME;
    children.push(node);
  }
  return children;
}

function nodeOf(name: string, path: AbsolutePath, stats: BigIntStats): Node {
  const isDeletion = stats.isCharacterDevice() && stats.rdev === 0n;
  return { name, path, facts: factsOf(stats), isDeletion, children: [] };
}

async function withMarks(root: Node, nodes: readonly Node[], readXattrs: ReadXattrs): Promise<StagedEntry> {
  const asked = nodes.filter(({ facts, problem }) => problem === undefined && isMarkable(facts));
  const marks = await readMarks(asked.map(markedOf), readXattrs);
  const known = new Map(asked.map((node, index) => [node, marks[index]]));
  const finish = (node: Node): StagedEntry => {
    const { name, facts, isDeletion, children } = node;
    const found = known.get(node);
    const problem = node.problem ?? (found?.elsewhere === true ? 'its content is not in the stage' : undefined);
    return {
      name,
      facts,
      isWhiteout: isDeletion || found?.whiteout === true,
      isOpaque: found?.opaque === true,
      isCopied: found?.copied === true,
      ...(problem !== undefined && { problem }),
      children: children.map(finish),
    };
  };
  return finish(root);
}

function isMarkable({ entry }: Facts): boolean {
  return entry === 'file' || entry === 'folder';
}

function markedOf({ path, facts }: Node): Marked {
  return { path, entry: facts.entry === 'folder' ? 'folder' : 'file', size: facts.size };
}
