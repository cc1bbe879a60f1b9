/** Words as one line that would mean the same in a shell, for people to read. */
import { isExact } from './reading.js';
import type { Word } from './reading.js';

export function commandLine(words: readonly Word[]): string {
  return words.map((word) => (isExact(word) ? quote(word) : word.source)).join(' ');
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
