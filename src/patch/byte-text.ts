/**
 * Text in which each character is one byte of a file. Whatever the encoding of a file is, what is not touched comes out
 * as it went in.
 */

/** What a patch says, as the bytes that it would be in a file. */
export function toByteText(text: string): string {
  return isPlain(text) ? text : Buffer.from(text).toString('latin1');
}

/** The same for people and models; bytes that are no text are shown as such. */
export function fromByteText(bytes: string): string {
  return isPlain(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString();
}

export function readBytes(content: Uint8Array): string {
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('latin1');
}

export function writeBytes(bytes: string): Uint8Array {
  return Buffer.from(bytes, 'latin1');
}

export function isPlain(text: string): boolean {
  return !/[^\x00-\x7f]/.test(text);
}

export const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf';
