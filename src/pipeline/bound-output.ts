/**
 * The last look at what a tool gave back: the model gets as much as its budget holds, and is told where the whole
 * is when that is not all.
 */
import type { EventBody } from '../core/events.js';
import type { ArtifactStore } from '../core/artifacts.js';
import { budgetBytes, budgetOf, plainRendering, tokensIn } from '../core/output.js';
import type { Budget, CapturePart, ContentPart, Kept, OutputPart, PlainOutput, ToolOutput } from '../core/output.js';
import { keepText } from './capture.js';
import { HEAD_BYTES, TAIL_BYTES } from './head-tail.js';
import { countLines, fits, joinEnds, sizeOf, truncateMiddle, wholeText } from './truncate.js';

export type Bounds = {
  readonly budget: Budget;
  /** Names the files that hold what did not fit. */
  readonly label: string;
  readonly artifacts: ArtifactStore;
  readonly emit: (event: Omit<Extract<EventBody, { type: 'output.kept' }>, 'callId'>) => void;
};

export function boundOutput(output: ToolOutput, bounds: Bounds): PlainOutput {
  const texts = output.content.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  const whole = Buffer.from(texts.join(''));
  const tooLong = whole.length > budgetBytes(bounds.budget);
  return { ...output, content: tooLong ? cutAll(output.content, whole, bounds) : renderAll(output.content, bounds) };
}

function renderAll(parts: readonly OutputPart[], bounds: Bounds): ContentPart[] {
  return parts.map((part) => (part.kind === 'capture' ? boundCapture(part, bounds) : part));
}

/**
 * Text parts share one budget: whole ones while they fit, one that is cut, and a note for the rest. A capture has a
 * budget of its own, so that the lines above it do not eat into it.
 */
function cutAll(parts: readonly OutputPart[], whole: Buffer, bounds: Bounds): ContentPart[] {
  let left = budgetBytes(bounds.budget);
  let omitted = 0;
  const content = parts.flatMap((part): ContentPart[] => {
    if (part.kind !== 'text') return renderAll([part], bounds);
    const bytes = Buffer.from(part.text);
    const room = left;
    left = Math.max(0, left - bytes.length);
    if (bytes.length <= room) return [part];
    if (room > 0) return [{ kind: 'text', text: truncateMiddle(wholeText(bytes), budgetOf(room, bounds.budget)) }];
    omitted += 1;
    return [];
  });
  const rest = omitted === 0 ? '' : `[omitted ${omitted} text items ...]\n`;
  return [
    ...content,
    {
      kind: 'text',
      text: `\n${rest}${keptNote(keepText(bounds.artifacts, bounds.label, whole), whole.length, bounds)}`,
    },
  ];
}

/** Printed output that was cut starts with a header, so that a model knows it before it reads half a line. */
function boundCapture({ capture, maxTokens, render = plainRendering }: CapturePart, bounds: Bounds): ContentPart {
  const captured = capture.settle();
  const budget = narrower(bounds.budget, maxTokens);
  if (fits(captured, budget)) return { kind: 'text', text: render({ text: joinEnds(captured).toString() }) };
  const size = sizeOf(captured);
  const totalLines = captured.dropped > 0 ? undefined : countLines(joinEnds(captured));
  const extent =
    totalLines === undefined ? `... ${captured.dropped} bytes omitted ...` : `Total output lines: ${totalLines}`;
  const text = truncateMiddle(captured, budget);
  const cut = {
    header: `Warning: truncated output (original token count: ${tokensIn(size)})\n${extent}\n\n`,
    ...(totalLines !== undefined && { totalLines }),
    shownLines: countLines(Buffer.from(text)),
    note: keptNote(captured.keepWhole(), size, bounds),
  };
  return { kind: 'text', text: render({ text, cut }) };
}

/** The smaller of the budget, what the model asked for, and what memory holds. */
function narrower(budget: Budget, maxTokens: number | undefined): Budget {
  const asked: Budget | undefined = maxTokens === undefined ? undefined : { unit: 'tokens', amount: maxTokens };
  const smaller = asked && budgetBytes(asked) < budgetBytes(budget) ? asked : budget;
  const held = HEAD_BYTES + TAIL_BYTES;
  return budgetBytes(smaller) <= held ? smaller : { unit: 'bytes', amount: held };
}

/** One line that says where the whole is. */
function keptNote(kept: Kept, size: number, { emit }: Bounds): string {
  if (kept.kind === 'lost') return `[The whole output, ${size} bytes, could not be kept: ${kept.reason}.]`;
  emit({ type: 'output.kept', path: kept.path, bytes: kept.bytes, complete: kept.complete });
  const extent = kept.complete ? `The whole output, ${size} bytes, is` : `The first ${kept.bytes} of ${size} bytes are`;
  return `[${extent} in ${kept.path}; read the part you need from there.]`;
}
