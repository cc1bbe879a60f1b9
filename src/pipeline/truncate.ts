/** Cutting text to a budget: both ends stay, a marker stands for the middle, no character is split. */
import { budgetBytes, tokensIn } from '../core/output.js';
import type { Budget } from '../core/output.js';
import { firstBytes, isContinuation, lastBytes } from '../core/utf8.js';

/** Text whose middle may already be gone; `dropped` bytes stood between `head` and `tail`. */
export type Ends = { readonly head: Buffer; readonly dropped: number; readonly tail: Buffer };

export function wholeText(text: Buffer): Ends {
  return { head: text, dropped: 0, tail: Buffer.alloc(0) };
}

export function sizeOf(ends: Ends): number {
  return ends.head.length + ends.dropped + ends.tail.length;
}

export function fits(ends: Ends, budget: Budget): boolean {
  return ends.dropped === 0 && sizeOf(ends) <= budgetBytes(budget);
}

export function joinEnds(ends: Ends): Buffer {
  return ends.tail.length === 0 ? ends.head : Buffer.concat([ends.head, ends.tail]);
}

/** Half of the budget from the head, the rest from the tail, a marker in between that says what is gone. */
export function truncateMiddle(ends: Ends, budget: Budget): string {
  const limit = budgetBytes(budget);
  const half = Math.floor(limit / 2);
  const removed = sizeOf(ends) - limit;
  if (ends.dropped > 0) {
    // Characters that are no longer there cannot be counted, so this speaks of tokens whatever the budget counts in.
    return `${firstBytes(ends.head, half).toString()}${tokenMarker(removed)}${lastBytes(ends.tail, limit - half).toString()}`;
  }
  const text = joinEnds(ends);
  const left = firstBytes(text, half);
  const right = lastBytes(text, limit - half);
  const middle = text.subarray(left.length, text.length - right.length);
  const marker = budget.unit === 'tokens' ? tokenMarker(removed) : `…${countCharacters(middle)} chars truncated…`;
  return `${left.toString()}${marker}${right.toString()}`;
}

/** Lines as a reader counts them: a last line without its line end counts too. */
export function countLines(text: Buffer): number {
  let lines = 0;
  for (let at = text.indexOf(10); at !== -1; at = text.indexOf(10, at + 1)) lines += 1;
  return text.length > 0 && text[text.length - 1] !== 10 ? lines + 1 : lines;
}

function tokenMarker(removedBytes: number): string {
  return `…${tokensIn(removedBytes)} tokens truncated…`;
}

function countCharacters(text: Buffer): number {
  let count = 0;
  for (const byte of text) if (!isContinuation(byte)) count += 1;
  return count;
}
