/** One line for a person. Names and titles come from whoever made the files, and from a model: they stay within their line. */
import { visible } from './visible.js';

export function say(text: string): void {
  process.stdout.write(`${oneLine(text)}\n`);
}

/** What went wrong, or is good to know beside that. */
export function note(text: string): void {
  process.stderr.write(`tenon: ${oneLine(text)}\n`);
}

function oneLine(text: string): string {
  return visible(text.replaceAll('\n', ' '));
}
