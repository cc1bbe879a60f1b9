/** A patch as three fields: a file, a text in it, and what is to stand there instead. */
import { invalidPatch } from './patch-error.js';
import type { Patch } from './patch.js';

export function structuredPatch(given: {
  readonly file_path: string;
  readonly original_content: string;
  readonly updated_content: string;
}): Patch {
  const { file_path: path, original_content: original, updated_content: updated } = given;
  if (path.trim() === '') throw invalidPatch('file_path is empty; give a path relative to the workspace or absolute');
  if (path.includes('\0')) throw invalidPatch('a path contains a NUL character');
  const text = [`*** Update File: ${path}`, ...marked('-', original), ...marked('+', updated)].join('\n');
  return { sections: [{ kind: 'replace', path, original, updated, text }] };
}

function marked(mark: '-' | '+', text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.endsWith('\n') ? text.slice(0, -1) : text;
  return lines.split('\n').map((line) => mark + line);
}
