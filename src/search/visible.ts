/** Names as they can stand on one line of an answer: no name can pass for another line, or fill the page. */
import { Buffer } from 'node:buffer';

import { firstBytes } from '../core/utf8.js';

const MAX_NAME_BYTES = 500;

export function visibleName(name: string): string {
  const escaped = name.replace(/[\p{Cc}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\x${code.toString(16).padStart(2, '0')}`;
  });
  return cutText(Buffer.from(escaped), MAX_NAME_BYTES);
}

/** A text that is too long says so. */
export function cutText(text: Uint8Array, maxBytes: number): string {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  return bytes.length <= maxBytes ? bytes.toString() : `${firstBytes(bytes, maxBytes).toString()}…`;
}
