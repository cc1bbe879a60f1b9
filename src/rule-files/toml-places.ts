/** On which lines the tables and keys of a TOML file stand, as its parser keeps no places. The file must be valid. */

export type TablePlace = {
  readonly name: string;
  /** Whether it is written `[[name]]`. */
  readonly isListed: boolean;
  readonly line: number;
  /** The line of each of its keys. */
  readonly keys: ReadonlyMap<string, number>;
};

/** In order; the first stands for what is above all tables and has no name. */
export function tablePlaces(toml: string): readonly TablePlace[] {
  let keys = new Map<string, number>();
  const places: TablePlace[] = [{ name: '', isListed: false, line: 1, keys }];
  for (const { text, line } of statements(toml)) {
    const [, brackets, table] = HEADER.exec(text) ?? [];
    const key = KEY.exec(text)?.[1];
    if (table !== undefined) {
      keys = new Map();
      places.push({ name: unquoted(table), isListed: brackets === '[[', line, keys });
    } else if (key !== undefined) {
      keys.set(unquoted(key), line);
    }
  }
  return places;
}

type Statement = { readonly text: string; readonly line: number };

const NAME = /[\w-]+|"(?:\\.|[^"\\])*"|'[^']*'/.source;
const HEADER = new RegExp(`^\\s*(\\[\\[?)\\s*(${NAME})`);
const KEY = new RegExp(`^\\s*(${NAME})\\s*[.=]`);

function unquoted(name: string): string {
  return /^["']/.test(name) ? name.slice(1, -1) : name;
}

/** The first line of everything that is not inside of a text or a list. */
function* statements(toml: string): Generator<Statement> {
  const marks = /"""|'''|["'#[\]{}\n]/g;
  let start = toml.startsWith('\uFEFF') ? 1 : 0;
  let line = 1;
  let depth = 0;
  let last = 0;
  for (let mark = marks.exec(toml); mark; mark = marks.exec(toml)) {
    const [found] = mark;
    marks.lastIndex = behind(toml, found, marks.lastIndex);
    if (/[[{]/.test(found)) depth += 1;
    if (/[\]}]/.test(found)) depth -= 1;
    if (found !== '\n' || depth > 0) continue;
    yield { text: lineAt(toml, start), line };
    start = mark.index + 1;
    line += count(toml, last, start);
    last = start;
  }
  yield { text: lineAt(toml, start), line };
}

/** Where a text or comment ends that begins with this mark; other marks end at once. */
function behind(toml: string, mark: string, from: number): number {
  if (mark === '#') return indexOf(toml, '\n', from);
  const ends = endOf(mark);
  if (ends === undefined) return from;
  ends.lastIndex = from;
  let end = ends.exec(toml);
  while (end?.[0].startsWith('\\')) end = ends.exec(toml);
  return end ? ends.lastIndex : toml.length;
}

/** What ends a text, or is escaped in it. Up to two quotes of its own may stand right before the last three. */
function endOf(mark: string): RegExp | undefined {
  switch (mark) {
    case "'":
      return /'/g;
    case "'''":
      return /'''+/g;
    case '"':
      return /\\[^]|"/g;
    case '"""':
      return /\\[^]|"""+/g;
    default:
      return undefined;
  }
}

function lineAt(toml: string, start: number): string {
  return toml.slice(start, indexOf(toml, '\n', start));
}

/** Or the end. */
function indexOf(toml: string, text: string, from: number): number {
  const index = toml.indexOf(text, from);
  return index === -1 ? toml.length : index;
}

function count(toml: string, from: number, to: number): number {
  return toml.slice(from, to).split('\n').length - 1;
}
