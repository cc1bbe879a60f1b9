/**
 * The last look at what a tool gave back: the model gets as much as its budget holds, and is told where the whole
 * is when that is not all.
 */
import type { EventBody } from '../core/events.js';
import type { ArtifactStore } from '../core/journal.js';
import { budgetBytes, tokensIn } from '../core/output.js';
import type { Budget, CapturePart, ContentPart, Kept, PlainOutput, ToolOutput } from '../core/output.js';
import { keepText } from './capture.js';
import { HEAD_BYTES, TAIL_BYTES } from './head-tail.js';
import { countLines, fits, joinEnds, sizeOf, truncateMiddle, whole } from './truncate.js';

export type Bounds = {
  readonly budget: Budget;
  /** Names the files that hold what did not fit. */
  readonly label: string;
  readonly artifacts: ArtifactStore;
  readonly emit: (event: Omit<Extract<EventBody, { type: 'output.kept' }>, 'callId'>) => void;
};

export function boundOutput(output: ToolOutput, bounds: Bounds): PlainOutput {
  const content: ContentPart[] = [];
  // Text parts share one budget; a capture has its own, so that the lines above it do not eat into it.
  let left = budgetBytes(bounds.budget);
  let omitted = 0;
  for (const part of output.content) {
    if (part.kind === 'image') content.push(part);
    else if (part.kind === 'capture') content.push(boundCapture(part, bounds));
    else if (left <= 0) omitted += 1;
    else {
      const size = Buffer.byteLength(part.text);
      content.push(
        size <= left
          ? part
          : boundText(part.text, { ...bounds, budget: { ...bounds.budget, amount: amountFor(left, bounds.budget) } }),
      );
      left -= size;
    }
  }
  if (omitted > 0) content.push({ kind: 'text', text: `\n[omitted ${omitted} text items ...]` });
  return { ...output, content };
}

function boundText(text: string, bounds: Bounds): ContentPart {
  const bytes = Buffer.from(text);
  const cut = truncateMiddle(whole(bytes), bounds.budget);
  return { kind: 'text', text: withNote(cut, keepText(bounds.artifacts, bounds.label, bytes), bytes.length, bounds) };
}

/** Printed output that was cut starts with a header, so that a model knows it before it reads half a line. */
function boundCapture({ capture, maxTokens }: CapturePart, bounds: Bounds): ContentPart {
  const captured = capture.settle();
  const budget = narrower(bounds.budget, maxTokens);
  if (fits(captured, budget)) return { kind: 'text', text: joinEnds(captured).toString() };
  const size = sizeOf(captured);
  const extent =
    captured.dropped > 0
      ? `... ${captured.dropped} bytes omitted ...`
      : `Total output lines: ${countLines(joinEnds(captured))}`;
  const header = `Warning: truncated output (original token count: ${tokensIn(size)})\n${extent}\n\n`;
  const cut = truncateMiddle(captured, budget);
  return { kind: 'text', text: header + withNote(cut, captured.keepWhole(), size, bounds) };
}

/** The smaller of the budget, what the model asked for, and what memory holds. */
function narrower(budget: Budget, maxTokens: number | undefined): Budget {
  const asked: Budget | undefined = maxTokens === undefined ? undefined : { unit: 'tokens', amount: maxTokens };
  const smaller = asked && budgetBytes(asked) < budgetBytes(budget) ? asked : budget;
  const held = HEAD_BYTES + TAIL_BYTES;
  return budgetBytes(smaller) <= held ? smaller : { unit: 'bytes', amount: held };
}

function amountFor(bytes: number, { unit }: Budget): number {
  return unit === 'tokens' ? Math.floor(bytes / 4) : bytes;
}

/** Adds a last line that says where the whole is. */
function withNote(text: string, kept: Kept, size: number, { emit }: Bounds): string {
  if (kept.kind === 'kept') emit({ type: 'output.kept', path: kept.path, bytes: kept.bytes, complete: kept.complete });
  return `${text}${text.endsWith('\n') ? '' : '\n'}[${describeKept(kept, size)}]`;
}

function describeKept(kept: Kept, size: number): string {
  if (kept.kind === 'lost') return `The whole output, ${size} bytes, could not be kept: ${kept.reason}.`;
  const extent = kept.complete ? `The whole output, ${size} bytes, is` : `The first ${kept.bytes} of ${size} bytes are`;
  return `${extent} in ${kept.path}; read the part you need from there.`;
}
