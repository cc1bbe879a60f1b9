/** Names of keys: `a.b`, `"a b".c`, as they stand in a file and as people type them. */

/**
 * The parts of a dotted key; undefined when it is none. Where nobody quotes, more than TOML's own letters is taken, such as
 * the slash in the name of a model.
 */
export function parseKey(text: string): readonly string[] | undefined {
  const parts: string[] = [];
  let at = 0;
  do {
    if (at > 0) at += 1;
    const part = partAt(text, at);
    if (part === undefined) return undefined;
    parts.push(part.name);
    at = part.end;
  } while (text[at] === '.');
  return at === text.length ? parts : undefined;
}

/** A key as it is written, quoted where it has to be. */
export function keyText(path: readonly string[]): string {
  return path.map((part) => (BARE.test(part) ? part : quoted(part))).join('.');
}

/** With the blanks around it; undefined when nothing there can be a part of a key. */
export function partAt(text: string, at: number): { readonly name: string; readonly end: number } | undefined {
  PART.lastIndex = at;
  const [whole, part] = PART.exec(text) ?? [];
  if (whole === undefined || part === undefined) return undefined;
  return { name: unquoted(part), end: at + whole.length };
}

const BARE = /^[\w-]+$/;
const PART = /[ \t]*("(?:\\.|[^"\\\n])*"|'[^'\n]*'|[^\s.="'#[\]{},]+)[ \t]*/y;

function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('\u007F', '\\u007f');
}

function unquoted(part: string): string {
  if (part.startsWith("'")) return part.slice(1, -1);
  return part.startsWith('"') ? part.slice(1, -1).replace(ESCAPE, unescaped) : part;
}

const ESCAPE = /\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{8})|x([\da-fA-F]{2})|(.))/g;
const LETTERS: Readonly<Record<string, string>> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', e: '\u001B' };

function unescaped(escape: string, ...[four, eight, two, letter]: readonly (string | undefined)[]): string {
  if (letter !== undefined) return LETTERS[letter] ?? letter;
  const code = Number.parseInt(four ?? eight ?? two ?? '', 16);
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : escape;
}
