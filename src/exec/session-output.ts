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
  const end = createEnd(PROMPT_BYTES);
  return {
    write(chunk, stream) {
      end.add(chunk);
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
    lastLine: () => lastLineOf(stripVTControlCharacters(end.text())),
  };
}

/** The last bytes of all that was added. */
function createEnd(most: number): { add(chunk: Uint8Array): void; text(): string } {
  const bytes = Buffer.alloc(most);
  let length = 0;
  return {
    add(chunk) {
      const added = chunk.length > most ? chunk.subarray(-most) : chunk;
      const kept = Math.min(length, most - added.length);
      bytes.copyWithin(0, length - kept, length);
      bytes.set(added, kept);
      length = kept + added.length;
    },
    text: () => bytes.toString('utf8', 0, length),
  };
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
