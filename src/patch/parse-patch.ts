/** From the text of a patch to its sections. The text decides which of the two forms it is in. */
import { parseEnvelope } from './parse-envelope.js';
import { parseUnifiedDiff } from './parse-unified-diff.js';
import { PatchError, invalidPatch } from './patch-error.js';
import type { FileSection, Patch } from './patch.js';
import { isFileHeader } from './unified-header.js';
import { unwrapped } from './unwrap.js';

const BEGIN = '*** Begin Patch';
const END = '*** End Patch';
/** A here-document in a code fence. */
const MOST_WRAPPERS = 2;

/** Throws a `PatchError` for whatever is not a patch. */
export function parsePatch(text: string): Patch {
  return parseWrapped(text, MOST_WRAPPERS);
}

function parseWrapped(text: string, wrappers: number): Patch {
  const lines = text.trim().split('\n');
  if (isEnvelope(lines)) return envelope(lines);
  const inner = wrappers > 0 ? unwrapped(lines) : undefined;
  if (inner !== undefined) return parseWrapped(inner.join('\n'), wrappers - 1);
  if (isUnifiedDiff(lines)) return checked(parseUnifiedDiff(text.split('\n')));
  if (text.trim() === '' || isBegin(lines[0])) throw invalidPatch(`The last line of the patch must be '${END}'`);
  throw invalidPatch(`The first line of the patch must be '${BEGIN}'`);
}

function isEnvelope(lines: readonly string[]): boolean {
  return isBegin(lines[0]) && lines.length > 1 && lines.at(-1)?.trim() === END;
}

function isBegin(line: string | undefined): boolean {
  return line?.trim() === BEGIN;
}

/** A carriage return before a newline belongs to whoever sent the text, not to the patch. */
function envelope(lines: readonly string[]): Patch {
  const plain = lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  return checked(parseEnvelope(plain));
}

/** Text around an envelope is not a message around a diff, even where the envelope holds one. */
function isUnifiedDiff(lines: readonly string[]): boolean {
  return !lines.some(isBegin) && lines.some((_, at) => isFileHeader(lines, at));
}

function checked(sections: readonly FileSection[]): Patch {
  if (sections.length === 0) throw new PatchError('patch rejected: empty patch', 'empty');
  for (const section of sections) {
    const target = section.kind === 'update' ? section.to?.path : undefined;
    if (`${section.path}${target ?? ''}`.includes('\0')) throw invalidPatch('a path contains a NUL character');
  }
  return { sections };
}
