/**
 * The block of code around a line, judged by indentation alone: from the anchor, one step up and one step down in
 * turn, until the indentation falls below what was asked for. Holds at most `limit` lines above and below.
 */
import type { OpenFile } from '../core/files.js';
import { readLines } from './text-lines.js';
import type { Line, LineOptions } from './text-lines.js';

export type BlockRules = {
  readonly anchorLine: number;
  /** 0 for all levels. */
  readonly maxLevels: number;
  readonly includeSiblings: boolean;
  readonly includeHeader: boolean;
  readonly limit: number;
};

export type Block =
  | { readonly kind: 'block'; readonly lines: readonly Line[] }
  | { readonly kind: 'beyond_end'; readonly lines: number };

const TAB_WIDTH = 4;
const LEVEL_WIDTH = 4;
const COMMENT = /^\s*(#|\/\/|--)/;

type Measured = Line & { readonly indent: number; readonly blank: boolean };

export async function readBlock(file: OpenFile, options: LineOptions, rules: BlockRules): Promise<Block> {
  const around = await linesAround(file, options, rules);
  const { anchor } = around;
  if (anchor === undefined) return { kind: 'beyond_end', lines: around.total };
  const floor = rules.maxLevels === 0 ? 0 : Math.max(0, anchor.indent - LEVEL_WIDTH * rules.maxLevels);
  return { kind: 'block', lines: trimBlank(grow({ ...around, anchor }, floor, rules)) };
}

type Around = {
  readonly above: Measured[];
  readonly anchor?: Measured;
  readonly below: Measured[];
  readonly total: number;
};

async function linesAround(file: OpenFile, options: LineOptions, { anchorLine, limit }: BlockRules): Promise<Around> {
  const above: Measured[] = [];
  const below: Measured[] = [];
  let anchor: Measured | undefined;
  let indent = 0;
  let total = 0;
  for await (const line of readLines(file, options)) {
    total = line.number;
    const blank = line.text.trim() === '';
    // A blank line belongs to whatever stands above it.
    if (!blank) indent = indentOf(line.text);
    const measured = { ...line, indent, blank };
    if (line.number < anchorLine) above.push(measured);
    else if (line.number === anchorLine) anchor = measured;
    else below.push(measured);
    if (above.length > 2 * limit) above.splice(0, limit);
    if (below.length >= limit) break;
  }
  return { above, below, total, ...(anchor && { anchor }) };
}

function indentOf(text: string): number {
  const [leading = ''] = /^[ \t]*/.exec(text) ?? [];
  return leading.length + (TAB_WIDTH - 1) * (leading.split('\t').length - 1);
}

function grow({ above, anchor, below }: Required<Around>, floor: number, rules: BlockRules): Measured[] {
  const isHeader = (line: Measured): boolean => rules.includeHeader && COMMENT.test(line.text);
  const up = climber(above.toReversed(), floor, rules, isHeader);
  const down = climber(below, floor, rules, () => false);
  const taken = [anchor];
  for (let moved = true; moved && taken.length < rules.limit;) {
    const higher = up();
    if (higher) taken.unshift(higher);
    if (taken.length >= rules.limit) break;
    const lower = down();
    if (lower) taken.push(lower);
    moved = higher !== undefined || lower !== undefined;
  }
  return taken;
}

/** Takes lines one by one; at the floor the first line closes the block, unless siblings are wanted. */
function climber(
  lines: readonly Measured[],
  floor: number,
  { includeSiblings }: BlockRules,
  mayPass: (line: Measured) => boolean,
): () => Measured | undefined {
  let next = 0;
  let reachedFloor = false;
  let stopped = false;
  return () => {
    const line = stopped ? undefined : lines[next];
    next += 1;
    const blocked = line !== undefined && line.indent === floor && !includeSiblings && reachedFloor && !mayPass(line);
    if (line === undefined || line.indent < floor || blocked) {
      stopped = true;
      return undefined;
    }
    if (line.indent === floor) reachedFloor = true;
    return line;
  };
}

function trimBlank(lines: readonly Measured[]): readonly Line[] {
  const first = lines.findIndex((line) => !line.blank);
  const last = lines.findLastIndex((line) => !line.blank);
  return first === -1 ? lines : lines.slice(first, last + 1);
}
