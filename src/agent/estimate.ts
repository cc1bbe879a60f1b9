/** About how many tokens an entry has, for as long as no server has counted it. */
import type { Entry } from '../core/model.js';
import { tokensIn } from '../core/output.js';
import type { ContentPart } from '../core/output.js';

/** What an image costs does not depend on its bytes; servers scale it to some size first. */
const TOKENS_PER_IMAGE = 1_500;

/** `bytes` is the length of the entry as it is sent, images included. */
export function estimateTokens(entry: Entry, bytes: number): number {
  const images = partsOf(entry).flatMap((part) => (part.kind === 'image' ? [part.base64.length] : []));
  const inImages = images.reduce((sum, length) => sum + length, 0);
  return tokensIn(Math.max(0, bytes - inImages)) + images.length * TOKENS_PER_IMAGE;
}

function partsOf(entry: Entry): readonly ContentPart[] {
  if (entry.kind === 'input') return entry.content;
  return entry.kind === 'answers' ? entry.answers.flatMap(({ content }) => content) : [];
}
