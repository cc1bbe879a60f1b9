/** Names of files in a unified diff: quoted byte by byte, with a prefix for each side, or followed by a time. */

/** `undefined` stands for a side on which there is no file. */
export type NamePair = { readonly old?: string | undefined; readonly fresh?: string | undefined };

const NOWHERE = '/dev/null';
const SPACED_TIME = / \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S*(?: [+-]\d{4})?$/;
const SIDE = /^[ciow]\//;

/** The names of the `---` and `+++` lines, without the prefixes when both sides have theirs. */
export function namePair(oldLine: string, newLine: string): NamePair {
  return withoutPrefixes({ old: nameOf(oldLine), fresh: nameOf(newLine) });
}

/** The names of a `diff --git` line. Without quotes they can only be told apart when they are the same. */
export function gitNames(rest: string): NamePair | undefined {
  if (rest.startsWith('"') || rest.endsWith('"')) {
    const end = rest.startsWith('"') ? closingQuote(rest) + 1 : rest.indexOf(' "');
    if (end <= 0 || rest[end] !== ' ') return undefined;
    return withoutPrefixes({ old: unquoted(rest.slice(0, end)), fresh: unquoted(rest.slice(end + 1)) });
  }
  const half = (rest.length - 1) / 2;
  if (rest[half] !== ' ') return undefined;
  const names = withoutPrefixes({ old: rest.slice(0, half), fresh: rest.slice(half + 1) });
  return names.old === names.fresh ? names : undefined;
}

function closingQuote(text: string): number {
  let at = 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

/** A name that stands alone on its line, such as after `rename from`. */
export function unquoted(name: string): string {
  if (!(name.length > 1 && name.startsWith('"') && name.endsWith('"'))) return name;
  const bytes = name
    .slice(1, -1)
    .replaceAll(/[^\x00-\x7f]+/g, (text) => Buffer.from(text).toString('latin1'))
    .replaceAll(/\\([0-7]{3}|.)/g, (_, code: string) => unescaped(code));
  return Buffer.from(bytes, 'latin1').toString();
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
};

function unescaped(code: string): string {
  return code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8) & 0xff) : (ESCAPES[code] ?? code);
}

function nameOf(line: string): string | undefined {
  const [beforeTab = ''] = line.split('\t', 1);
  const name = unquoted(beforeTab.replace(SPACED_TIME, '').trim());
  return name === NOWHERE ? undefined : name;
}

/** Beside a side without a file only the usual prefix counts: other letters are more likely folders. */
function withoutPrefixes({ old, fresh }: NamePair): NamePair {
  const usual = (old?.startsWith('a/') ?? true) && (fresh?.startsWith('b/') ?? true);
  return usual || haveOtherPrefixes(old, fresh) ? { old: old?.slice(2), fresh: fresh?.slice(2) } : { old, fresh };
}

/** Git can be told to name the sides: commit, index, object, worktree. */
function haveOtherPrefixes(old = '', fresh = ''): boolean {
  return SIDE.test(old) && SIDE.test(fresh) && old[0] !== fresh[0] && old.slice(2) === fresh.slice(2);
}
