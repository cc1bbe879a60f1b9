/** From the bytes of a session's file to its lines. Nothing in there is trusted: a crash may have cut it, anybody edited it. */
import { isAscii, isUtf8 } from 'node:buffer';

import { ConfigError } from '../../core/errors.js';
import { isJsonObject, isTooDeep } from '../../core/json-object.js';
import { SESSION_VERSION } from '../../core/session-log.js';
import type { LineOf, SessionLine } from '../../core/session-log.js';
import { shapeOf } from './shapes.js';

/** The file of a session, for messages, and what is in it. */
export type SessionBytes = { readonly id: string; readonly file: string; readonly bytes: Buffer };

export type PlacedLine = {
  /** Where its first byte is, and where its line feed is or should be. */
  readonly start: number;
  readonly end: number;
  /** Undefined for a type that is not known here. */
  readonly line?: SessionLine;
};

export type SessionText = {
  /** Up to the first that is damaged. What a crash left half written at the end is not among them. */
  readonly lines: readonly PlacedLine[];
  /** Which line that is, from 1, and what is wrong with it. */
  readonly damage?: { readonly line: number; readonly why: string };
};

export function readSessionText(bytes: Buffer): SessionText {
  const lines: PlacedLine[] = [];
  const textBetween = textReader(bytes);
  for (let start = 0; start < bytes.length;) {
    const end = endOfLine(bytes, start);
    const read = lines.length === 0 ? firstOf : lineOf;
    const { line, why } = read(valueIn(textBetween(start, end)));
    if (why !== undefined) {
      const isHalf = end === bytes.length;
      return isHalf ? { lines } : { lines, damage: { line: lines.length + 1, why } };
    }
    lines.push({ start, end, ...(line && { line }) });
    start = end + 1;
  }
  return { lines };
}

/** All lines. Throws when one of them is damaged. */
export function readWhole(session: SessionBytes): readonly PlacedLine[] {
  readBeginning(session);
  const { lines, damage } = readSessionText(session.bytes);
  if (damage === undefined) return lines;
  throw new ConfigError(`${session.file}, line ${damage.line}: ${damage.why}. ${adviceFor(session, turnsIn(lines))}`);
}

function adviceFor({ id }: SessionBytes, turns: number): string {
  if (turns > 0) return `To go on from before it, in a copy: tenon fork ${id} --turns ${turns}`;
  return `No turn had ended before it. To remove the session: tenon sessions rm ${id}`;
}

/** The first line. Throws when it is not that of a session. */
export function readBeginning({ id, file, bytes }: SessionBytes): Created {
  const { line, why } = readFirst(bytes.subarray(0, endOfLine(bytes, 0)));
  if (line !== undefined) return line;
  throw new ConfigError(
    why === NEWER ? `session ${id} cannot be used: ${NEWER}` : `${file} does not begin like a session`,
  );
}

type Created = LineOf<'session.created'>;

export function turnsIn(lines: readonly PlacedLine[]): number {
  return lines.filter(({ line }) => line?.type === 'turn.finished').length;
}

const LINE_FEED = 0x0a;

/** Where its line feed is; the end of all where there is none. */
export function endOfLine(bytes: Buffer, start: number): number {
  const feed = bytes.indexOf(LINE_FEED, start);
  return feed === -1 ? bytes.length : feed;
}

const NEWER = 'it was made by a newer Tenon; update Tenon to use it';

type FirstLine = { readonly line: Created; readonly why?: never } | { readonly line?: never; readonly why: string };

function readFirst(bytes: Buffer): FirstLine {
  return firstOf(valueIn(textOf(bytes)));
}

function firstOf(value: unknown): FirstLine {
  const { line, why = 'a session does not begin like this' } = lineOf(value);
  if (line?.type === 'session.created') return { line };
  return { why: isNewer(value) ? NEWER : why };
}

function isNewer(value: unknown): boolean {
  return isJsonObject(value) && value['type'] === 'session.created' && Number(value['v']) > SESSION_VERSION;
}

/** `why` it cannot be read. Neither, for a type that is not known here. */
type ReadLine = { readonly line?: SessionLine; readonly why?: string };

export function readLine(bytes: Buffer): ReadLine {
  return lineOf(valueIn(textOf(bytes)));
}

function lineOf(value: unknown): ReadLine {
  if (!isJsonObject(value) || typeof value['type'] !== 'string') return { why: 'it is no line of a session' };
  const isRight = shapeOf(value['type']);
  if (!isRight) return {};
  return isRight(value) ? { line: value as SessionLine } : { why: `a line ${value['type']} is not like this` };
}

/** Undefined for what is no text. */
function textOf(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString() : undefined;
}

/** Of all, line by line. Where each byte is a character, which is mostly so, they are parts of one text, and not copied. */
function textReader(bytes: Buffer): (start: number, end: number) => string | undefined {
  if (!isAscii(bytes)) return (start, end) => textOf(bytes.subarray(start, end));
  const text = bytes.toString('latin1');
  return (start, end) => text.slice(start, end);
}

/** What a server may send, and what stands around it in a line. What is much deeper could not be spelled again. */
const DEEPEST = 300;

function valueIn(text: string | undefined): unknown {
  try {
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    return mayBeTooDeep(text) && isTooDeep(value, DEEPEST) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Each level takes two characters, and most lines are short. */
function mayBeTooDeep(text = ''): boolean {
  return text.length > 2 * DEEPEST;
}
