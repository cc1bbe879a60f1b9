/**
 * An id for a call that came without one. It follows from what the call is part of, so that the same stream gives the same
 * ids. Nine letters and digits: there are templates of models that take nothing else.
 */
import { callId } from '../core/ids.js';
import type { CallId } from '../core/ids.js';

/** `parts`: which response, which call in it, and what it says. */
export function madeUpId(parts: readonly string[]): CallId {
  const text = parts.join('\0');
  const digits = hash(text, 0x811c9dc5).toString(36) + hash(text, 0x01000193).toString(36);
  return callId(digits.padStart(LENGTH, '0').slice(-LENGTH));
}

const LENGTH = 9;

/** FNV-1a, and a last stir so that neighbours differ in every digit. */
function hash(text: string, seed: number): number {
  let value = seed;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  value = Math.imul(value ^ (value >>> 15), 0x85ebca6b);
  return (value ^ (value >>> 13)) >>> 0;
}
