/** What a session prints, cut into what each answer tells: taking it begins the next piece. */
import { stripVTControlCharacters } from 'node:util';

import type { Capture, OutputStream } from '../core/output.js';

/** Enough for any line that a person would call a prompt. */
const PROMPT_BYTES = 1_024;

export interface SessionOutput {
  write(chunk: Uint8Array, stream: OutputStream): void;
  /** Everything since the last time; what follows begins a new piece. */
  take(): Capture;
  /** The same, when nothing can follow. */
  takeLast(): Capture;
  /** The line the program has come to, as a person sees it. */
  lastLine(): string;
}

export function createSessionOutput(first: Capture): SessionOutput {
  let capture = first;
  let end: Buffer = Buffer.alloc(0);
  return {
    write(chunk, stream) {
      end = chunk.length >= PROMPT_BYTES ? Buffer.from(chunk.subarray(-PROMPT_BYTES)) : joinEnd(end, chunk);
      capture.write(chunk, stream);
    },
    take() {
      const taken = capture;
      capture = taken.handOver();
      return taken;
    },
    takeLast() {
      capture.settle();
      return capture;
    },
    lastLine: () => lastLineOf(stripVTControlCharacters(end.toString())),
  };
}

function joinEnd(end: Buffer, chunk: Uint8Array): Buffer {
  return Buffer.concat([end, chunk]).subarray(-PROMPT_BYTES);
}

/** A program that draws over its line has a carriage return before what is seen. */
function lastLineOf(text: string): string {
  return (
    text
      .split(/\r?\n|\r/)
      .at(-1)
      ?.trim() ?? ''
  );
}
