/**
 * The envelope: `*** Begin Patch`, then for each file `*** Add File: path` with `+` lines, `*** Delete File: path`, or
 * `*** Update File: path` with an optional `*** Move to: path` and hunks, then `*** End Patch`.
 */
import { parseEnvelopeHunks } from './parse-envelope-hunks.js';
import { PatchError, invalidHunk } from './patch-error.js';
import type { FileSection } from './patch.js';

const ADD = '*** Add File: ';
const DELETE = '*** Delete File: ';
const UPDATE = '*** Update File: ';
const MOVE = '*** Move to: ';
const ENVIRONMENT = '*** Environment ID:';

/** Takes all lines, from the first marker to the last, which are there. */
export function parseEnvelope(lines: readonly string[]): readonly FileSection[] {
  if (lines[1]?.trim().startsWith(ENVIRONMENT) === true) {
    throw new PatchError('environment selection is unavailable for this turn', 'environment');
  }
  const body = lines.slice(0, -1);
  const sections: FileSection[] = [];
  let at = 1;
  while (at < body.length) {
    if (body[at]?.trim() === '') {
      at += 1;
      continue;
    }
    const { section, next } = parseSection(body, at, sections.at(-1));
    sections.push(section);
    at = next;
  }
  return sections;
}

type Parsed = { readonly section: FileSection; readonly next: number };

function parseSection(lines: readonly string[], at: number, before: FileSection | undefined): Parsed {
  const header = (lines[at] ?? '').trim();
  if (header.startsWith(ADD)) return addedFile(lines, at, header.slice(ADD.length).trim());
  if (header.startsWith(UPDATE)) return updatedFile(lines, at, header.slice(UPDATE.length).trim());
  if (header.startsWith(DELETE)) {
    const path = header.slice(DELETE.length).trim();
    return { section: { kind: 'delete', path, hunks: [], text: header }, next: at + 1 };
  }
  const advice =
    before?.kind === 'add' && !header.startsWith('***')
      ? " In an added file each line starts with '+', also an empty one."
      : '';
  throw invalidHunk(
    at + 1,
    `'${header}' is not a valid hunk header. Valid hunk headers: '${ADD}{path}', '${DELETE}{path}', '${UPDATE}{path}'${advice && `.${advice}`}`,
  );
}

function addedFile(lines: readonly string[], at: number, path: string): Parsed {
  let next = at + 1;
  while (lines[next]?.startsWith('+') === true) next += 1;
  const added = lines.slice(at + 1, next).map((line) => `${line.slice(1)}\n`);
  return { section: { kind: 'add', path, content: added.join(''), text: lines.slice(at, next).join('\n') }, next };
}

function updatedFile(lines: readonly string[], at: number, path: string): Parsed {
  const second = lines[at + 1]?.trim() ?? '';
  const to = second.startsWith(MOVE) ? { path: second.slice(MOVE.length).trim(), copy: false } : undefined;
  const { hunks, next } = parseEnvelopeHunks(lines, at + (to === undefined ? 1 : 2));
  if (hunks.length === 0 && to === undefined) throw invalidHunk(at + 1, `Update file hunk for path '${path}' is empty`);
  const text = lines.slice(at, next).join('\n');
  return { section: { kind: 'update', path, hunks, ...(to && { to }), text }, next };
}
