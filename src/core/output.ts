/** What a tool gives back, before and after the spine has bounded it. */
import { isJsonObject } from './json-object.js';

type TextPart = { readonly kind: 'text'; readonly text: string };
type ImagePart = {
  readonly kind: 'image';
  readonly mediaType: string;
  readonly base64: string;
  /** How closely a model should look, where its server lets one say so. */
  readonly detail?: ImageDetail;
};
export type ImageDetail = 'high' | 'original';

/** Output that was streamed into a capture. */
export type CapturePart = {
  readonly kind: 'capture';
  readonly capture: Capture;
  /** What the model asked for; the budget still caps it. */
  readonly maxTokens?: number | undefined;
  /** How the tool words its answer around what fits. Default: header, text and note as they are. */
  readonly render?: (shown: ShownOutput) => string;
};

/** As much of an output as the model gets. */
export type ShownOutput = {
  readonly text: string;
  /** Present when that is not all. */
  readonly cut?: {
    /** Says that it was cut, for a model to read first. */
    readonly header: string;
    /** Absent when the output was too long to be counted. */
    readonly totalLines?: number;
    readonly shownLines: number;
    /** Says where the whole is. */
    readonly note: string;
  };
};

export function plainRendering(shown: ShownOutput): string {
  return (shown.cut?.header ?? '') + withNote(shown);
}

/** Without the header, for tools that have their own. */
export function withNote({ text, cut }: ShownOutput): string {
  return cut === undefined ? text : text + (text.endsWith('\n') ? '' : '\n') + cut.note;
}

/** What the model gets: nothing but text and images. */
export type ContentPart = TextPart | ImagePart;

/** In events images are named, not repeated. */
export function contentEvent(
  part: ContentPart,
): TextPart | { readonly kind: 'image'; readonly mediaType: string; readonly bytes: number } {
  if (part.kind === 'text') return part;
  return { kind: 'image', mediaType: part.mediaType, bytes: Buffer.byteLength(part.base64, 'base64') };
}

export type OutputPart = ContentPart | CapturePart;

export type ToolOutput = {
  /** Text parts are joined as they are: a tool brings its own line ends. */
  readonly content: readonly OutputPart[];
  /** False when the tool did its work and the work failed, such as a command that exits with 1. Default true. */
  readonly success?: boolean;
  /** Structured data for people and programs that listen; never sent to the model. */
  readonly details?: Readonly<Record<string, unknown>>;
};

/** An output whose captures have become text: what hooks see and what the model gets. */
export type PlainOutput = Omit<ToolOutput, 'content'> & { readonly content: readonly ContentPart[] };

/** A sink of fixed size for output of any size: keeps both ends, and the whole on disk when it outgrows memory. */
export interface Capture {
  /** Ignored once the capture has been settled. */
  write(chunk: Uint8Array, stream: OutputStream): void;
  readonly bytes: number;
  /** Ends the capture. The spine does it when the tool has ended, however it ended. */
  settle(): Captured;
  /** Ends it for another one that goes on in its place, and gets whole what was cut in half here. */
  handOver(): Capture;
}

export type Captured = {
  readonly head: Buffer;
  /** Bytes between head and tail that were not kept in memory. */
  readonly dropped: number;
  readonly tail: Buffer;
  /** Makes sure that the whole is on disk and says where. */
  keepWhole(): Kept;
};

/** Where the whole of an output is. `reason` says why it is not, when the disk refused it. */
export type Kept =
  | { readonly kind: 'kept'; readonly path: string; readonly bytes: number; readonly complete: boolean }
  | { readonly kind: 'lost'; readonly reason: string };

/** Whether a model sees the escape sequences for colours and cursor movement. */
export const ANSI_CHOICES = ['strip', 'keep'] as const;
export type Ansi = (typeof ANSI_CHOICES)[number];

export type OutputStream = 'stdout' | 'stderr';

/** How much of an answer the model may see. A token counts as four bytes. */
export type Budget = { readonly unit: 'bytes' | 'tokens'; readonly amount: number };

export const BYTES_PER_TOKEN = 4;

export const DEFAULT_BUDGET: Budget = { unit: 'tokens', amount: 10_000 };

export function budgetBytes(budget: Budget): number {
  return budget.unit === 'tokens' ? budget.amount * BYTES_PER_TOKEN : budget.amount;
}

/** The same kind of budget for another number of bytes. */
export function budgetOf(bytes: number, { unit }: Budget): Budget {
  return { unit, amount: unit === 'tokens' ? bytes / BYTES_PER_TOKEN : bytes };
}

export function tokensIn(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** What others' code gave back, if it is an output at all. */
export function checkOutput<Output extends ToolOutput>(output: Output): Output {
  const parts: unknown = (output as Output | undefined)?.content;
  if (!Array.isArray(parts) || !parts.every(isPart)) throw new TypeError('what it gave back is no output');
  return output;
}

function isPart(part: unknown): boolean {
  if (!isJsonObject(part)) return false;
  if (part['kind'] === 'text') return typeof part['text'] === 'string';
  if (part['kind'] === 'image') return typeof part['mediaType'] === 'string' && typeof part['base64'] === 'string';
  return part['kind'] === 'capture' && isJsonObject(part['capture']);
}

/** The common case: an answer that is one piece of text. */
export function textOutput(text: string, rest: Omit<ToolOutput, 'content'> = {}): PlainOutput {
  return { content: [{ kind: 'text', text }], ...rest };
}
