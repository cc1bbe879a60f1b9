/**
 * Finds where everything stands in a TOML file, as the parser keeps no places. The text has to be one that the parser takes;
 * of any other, what comes out means nothing.
 */
import { partAt } from './key.js';
import type { TomlEntry, TomlPath, TomlTable } from './toml-table.js';

/** In order; the first is what stands above all headers. */
export function scanToml(text: string): readonly TomlTable[] {
  const cursor: Cursor = { text, at: text.startsWith('\uFEFF') ? 1 : 0 };
  const lists: Lists = new Map();
  let entries: TomlEntry[] = [];
  const tables: TomlTable[] = [{ path: [], isListed: false, header: { start: 0, end: cursor.at }, entries }];
  let path: TomlPath = [];
  for (skip(cursor); cursor.at < text.length; skip(cursor)) {
    if (text[cursor.at] === '[') {
      const header = readHeader(cursor, lists);
      entries = [];
      path = header.path;
      tables.push({ ...header, entries });
    } else {
      entries.push(readEntry(cursor, path));
    }
  }
  return tables;
}

type Cursor = { readonly text: string; at: number };

/** How far each list of tables has come. */
type Lists = Map<string, number>;

/** Over blanks, comments and the commas of lists. */
function skip(cursor: Cursor): void {
  BLANK.lastIndex = cursor.at;
  BLANK.test(cursor.text);
  cursor.at = BLANK.lastIndex;
}

const BLANK = /(?:[\s,]+|#[^\n]*)*/y;

function readHeader(cursor: Cursor, lists: Lists): Omit<TomlTable, 'entries'> {
  const start = cursor.at;
  const isListed = cursor.text.startsWith('[[', start);
  cursor.at += isListed ? 2 : 1;
  const names = readKey(cursor);
  const bracket = cursor.text.indexOf(']', cursor.at);
  cursor.at = bracket === -1 ? cursor.text.length : Math.min(bracket + (isListed ? 2 : 1), cursor.text.length);
  const header = { start, end: cursor.at };
  if (!isListed) return { path: placed(names, lists), isListed, header };
  const list = [...placed(names.slice(0, -1), lists), ...names.slice(-1)];
  const index = (lists.get(JSON.stringify(list)) ?? -1) + 1;
  lists.set(JSON.stringify(list), index);
  return { path: [...list, index], isListed, header };
}

/** A header below a list means the list's latest member. */
function placed(names: readonly string[], lists: Lists): TomlPath {
  const path: (string | number)[] = [];
  for (const name of names) {
    path.push(name);
    const index = lists.size === 0 ? undefined : lists.get(JSON.stringify(path));
    if (index !== undefined) path.push(index);
  }
  return path;
}

function readEntry(cursor: Cursor, table: TomlPath): TomlEntry {
  const start = cursor.at;
  const names = readKey(cursor);
  const key = { start, end: cursor.at };
  // Nothing that could be a key: what is there is passed over, so that there is an end to it.
  if (names.length === 0) cursor.at += 1;
  BEFORE_VALUE.lastIndex = cursor.at;
  if (BEFORE_VALUE.test(cursor.text)) cursor.at = BEFORE_VALUE.lastIndex;
  return { key, ...readValue(cursor, [...table, ...names]) };
}

const BEFORE_VALUE = /[ \t]*=[ \t]*/y;

function readKey(cursor: Cursor): readonly string[] {
  const names: string[] = [];
  for (let part = partAt(cursor.text, cursor.at); part; part = partAt(cursor.text, cursor.at + 1)) {
    names.push(part.name);
    cursor.at = part.end;
    if (cursor.text[cursor.at] !== '.') break;
  }
  return names;
}

function readValue(cursor: Cursor, path: TomlPath): Omit<TomlEntry, 'key'> {
  const start = cursor.at;
  const kind = KINDS[cursor.text[start] ?? ''] ?? 'plain';
  const inner = kind === 'plain' ? [] : readInner(cursor, kind, path);
  if (kind === 'plain') cursor.at = endOfPlain(cursor.text, start);
  return { path, value: { start, end: cursor.at }, kind, inner };
}

const KINDS: Readonly<Record<string, 'table' | 'list'>> = { '{': 'table', '[': 'list' };

function readInner(cursor: Cursor, kind: 'table' | 'list', path: TomlPath): readonly TomlEntry[] {
  const end = kind === 'table' ? '}' : ']';
  const inner: TomlEntry[] = [];
  cursor.at += 1;
  for (skip(cursor); cursor.at < cursor.text.length; skip(cursor)) {
    if (cursor.text[cursor.at] === end) break;
    inner.push(kind === 'table' ? readEntry(cursor, path) : readMember(cursor, [...path, inner.length]));
  }
  cursor.at = Math.min(cursor.at + 1, cursor.text.length);
  return inner;
}

function readMember(cursor: Cursor, path: TomlPath): TomlEntry {
  const { at: start } = cursor;
  const member = readValue(cursor, path);
  if (cursor.at === start) cursor.at += 1;
  return { key: { start, end: start }, ...member };
}

function endOfPlain(text: string, start: number): number {
  const mark = MARKS.find((each) => text.startsWith(each.opens, start));
  if (mark) return endOfText(text, start + mark.opens.length, new RegExp(mark.closes, 'g'));
  OTHER.lastIndex = start;
  const [other = ''] = OTHER.exec(text) ?? [];
  return start + other.trimEnd().length;
}

/** A backslash takes the next character along. Up to two quotes of its own may stand right before the last three. */
const MARKS = [
  { opens: '"""', closes: /\\[^]|"""+/ },
  { opens: "'''", closes: /'''+/ },
  { opens: '"', closes: /\\[^]|"/ },
  { opens: "'", closes: /'/ },
];
const OTHER = /[^,#\n\]}]*/y;

function endOfText(text: string, from: number, closes: RegExp): number {
  closes.lastIndex = from;
  let end = closes.exec(text);
  while (end?.[0].startsWith('\\')) end = closes.exec(text);
  return end ? closes.lastIndex : text.length;
}
