/**
 * Sets one value in a TOML file and leaves every other byte as it is: comments, order, spaces, line ends. Whether the result
 * says what it should is for whoever parses it: a place that cannot take the value gives a text that does not.
 */
import { keyText } from './key.js';
import { scanToml } from './scan-toml.js';
import { allEntries, isPrefix, isSamePath } from './toml-table.js';
import type { Span, TomlEntry, TomlTable } from './toml-table.js';

/** `value` is TOML. The file has to be valid. */
export function setTomlValue(text: string, path: readonly string[], value: string): string {
  const tables = scanToml(text);
  const target = { path, value };
  return (
    inPlace(text, tables, target) ??
    inInlineTable(text, tables, target) ??
    besideDotted(text, tables, target) ??
    underHeader(text, tables, target) ??
    atTheTop(text, tables, target) ??
    inNewTable(text, target)
  );
}

type Target = { readonly path: readonly string[]; readonly value: string };

function inPlace(text: string, tables: readonly TomlTable[], { path, value }: Target): string | undefined {
  const entry = allEntries(tables).find((each) => isSamePath(each.path, path));
  return entry && text.slice(0, entry.value.start) + value + text.slice(entry.value.end);
}

/** `a = { b = 1 }`: what is below `a` can stand nowhere else. */
function inInlineTable(text: string, tables: readonly TomlTable[], { path, value }: Target): string | undefined {
  const holder = allEntries(tables).findLast((entry) => entry.kind === 'table' && isPrefix(entry.path, path));
  if (!holder) return undefined;
  const added = `${keyText(path.slice(holder.path.length))} = ${value}`;
  const last = holder.inner.at(-1);
  if (last) return insert(text, last.value.end, `, ${added}`);
  return insert(text, holder.value.start + 1, ` ${added} `);
}

/** `a.b = 1`: such a table cannot have a header as well. */
function besideDotted(text: string, tables: readonly TomlTable[], { path, value }: Target): string | undefined {
  const parent = path.slice(0, -1);
  for (const table of tables) {
    if (table.path.length >= parent.length) continue;
    const beside = table.entries.findLast((entry) => entry.path.length > parent.length && isPrefix(parent, entry.path));
    if (beside) return addLine(text, wholeOf(beside), lineOf(path.slice(table.path.length), value));
  }
  return undefined;
}

function underHeader(text: string, tables: readonly TomlTable[], { path, value }: Target): string | undefined {
  const parent = path.slice(0, -1);
  const table = tables.find((each) => parent.length > 0 && isSamePath(each.path, parent));
  return table && addLine(text, lastOf(table) ?? table.header, lineOf(path.slice(-1), value));
}

/** Above the first header, with what is said about that header. */
function atTheTop(text: string, [top, first]: readonly TomlTable[], { path, value }: Target): string | undefined {
  if (path.length > 1 || !top) return undefined;
  const last = lastOf(top);
  if (last) return addLine(text, last, lineOf(path, value));
  if (!first) return addAtEnd(text, lineOf(path, value), '');
  const newline = newlineOf(text);
  return insert(
    text,
    aboveComments(text, lineStart(text, first.header.start)),
    lineOf(path, value) + newline + newline,
  );
}

function inNewTable(text: string, { path, value }: Target): string {
  const newline = newlineOf(text);
  const table = `[${keyText(path.slice(0, -1))}]${newline}${lineOf(path.slice(-1), value)}`;
  return addAtEnd(text, table, newline);
}

function lastOf({ entries }: TomlTable): Span | undefined {
  const last = entries.at(-1);
  return last && wholeOf(last);
}

function wholeOf({ key, value }: TomlEntry): Span {
  return { start: key.start, end: value.end };
}

function lineOf(key: readonly string[], value: string): string {
  return `${keyText(key)} = ${value}`;
}

/** On a line of its own behind that, with the same room before it. */
function addLine(text: string, after: Span, line: string): string {
  const end = text.indexOf('\n', after.end);
  const newline = newlineOf(text);
  const indent = /[ \t]*$/.exec(text.slice(lineStart(text, after.start), after.start))?.[0] ?? '';
  return end === -1
    ? `${text}${newline}${indent}${line}${newline}`
    : insert(text, end + 1, `${indent}${line}${newline}`);
}

function addAtEnd(text: string, added: string, gap: string): string {
  const newline = newlineOf(text);
  if (text === '' || text === '\uFEFF') return `${text}${added}${newline}`;
  return `${text}${text.endsWith('\n') ? '' : newline}${gap}${added}${newline}`;
}

function insert(text: string, at: number, added: string): string {
  return text.slice(0, at) + added + text.slice(at);
}

function newlineOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

function lineStart(text: string, offset: number): number {
  return Math.max(text.lastIndexOf('\n', offset - 1) + 1, text.startsWith('\uFEFF') ? 1 : 0);
}

/** The beginning of the comments that stand right above a line. */
function aboveComments(text: string, line: number): number {
  let start = line;
  for (let above = lineStart(text, start - 1); above < start; above = lineStart(text, start - 1)) {
    if (!/^[ \t]*#/.test(text.slice(above, start))) break;
    start = above;
  }
  return start;
}
