/**
 * Where a program's output speaks of the error that a forbidden write ends in. Only the words are found here; which
 * path they are about is read from what stands around them. Takes time linear in the length of the output.
 */

/** What a backend answers to a forbidden write: read-only mounts, Landlock and Seatbelt each have their own. */
export type WriteError = 'EROFS' | 'EACCES' | 'EPERM';

export type Mention = {
  /** Whether the words say that something is missing, which is how Node reports some forbidden folders. */
  readonly misread: boolean;
  /** The line up to the words, and from there on. Neither reaches into another mention. */
  readonly before: string;
  readonly after: string;
  /** The lines before, nearest first, and those that follow. */
  readonly above: readonly string[];
  readonly below: readonly string[];
  /** The folder that a tool said it had gone into. */
  readonly folder: string | undefined;
};

/** What comes before the last 64 Ki characters is not looked at. */
const MOST_CHARACTERS = 65_536;

export function errorMentions(output: string, error: WriteError): readonly Mention[] {
  const lines = plainText(output.slice(-MOST_CHARACTERS)).split(/\r\n|[\r\n]/);
  const entered: string[] = [];
  return lines.flatMap((line, index) => {
    followFolder(entered, line);
    const found = mentionsIn(line, error);
    if (found.length === 0) return [];
    const above = lines.slice(Math.max(0, index - LINES_ABOVE), index).toReversed();
    const below = lines.slice(index + 1, index + 1 + LINES_BELOW);
    const folder = entered.at(-1);
    return found.map(({ misread, before, after }) => ({ misread, before, after, above, below, folder }));
  });
}

const LINES_ABOVE = 6;
const LINES_BELOW = 1;

/** Without colours and links, and with lines joined again that curl has broken in two. */
function plainText(output: string): string {
  return output
    .replaceAll(/\u001B\[[\d;:?]*[@-~]/g, '')
    .replaceAll(/\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)/g, '')
    .replaceAll(/ \r?\nWarning: /g, ' ');
}

/** make and its like tell where the names that follow are to be looked for. */
function followFolder(entered: string[], line: string): void {
  const [, move, folder] =
    /^[\w.-]{1,40}(?:\[\d+\])?: (Entering|Leaving) directory ['"`\u2018](.*)['"`\u2019]$/.exec(line) ?? [];
  if (move === 'Entering' && folder !== undefined) entered.push(folder);
  if (move === 'Leaving') entered.pop();
}

const WORDS: Readonly<Record<WriteError, RegExp>> = {
  EROFS: /read-only file ?system|ENOENT: no such file or directory(?=, mkdir ')/gi,
  EACCES: /permission denied|AccessDeniedException(?=: )/gi,
  EPERM: /operation not permitted/gi,
};

/** No path is longer than that by much, and work stays bounded on a line without end. */
const REACH = 4096;

function mentionsIn(line: string, error: WriteError): readonly Pick<Mention, 'misread' | 'before' | 'after'>[] {
  const found = [...line.matchAll(WORDS[error])];
  return found.flatMap(({ 0: words, index }, position) => {
    const previous = found[position - 1];
    const from = previous ? previous.index + previous[0].length : 0;
    const to = found[position + 1]?.index ?? line.length;
    const end = index + words.length;
    const after = line.slice(end, Math.min(to, end + REACH));
    if (!REPORTED.test(after)) return [];
    const before = line.slice(Math.max(from, index - REACH), index);
    return [{ misread: words.startsWith('ENOENT'), before, after }];
  });
}

/**
 * What may follow when the words are an error's own text. "Permission denied (publickey)", "… for table users" or
 * "… while trying to connect" are sentences of other kinds.
 */
const REPORTED = new RegExp(
  [
    String.raw`^\W{0,3}$`,
    String.raw`^["'\])}:]`,
    String.raw`^ : `,
    String.raw`^\.(?:\s|$)`,
    String.raw`^, [a-z]+ ['"]`,
    String.raw`^ \((?:os error )?\d+\)`,
    String.raw`^ (?:@|-|at|in) `,
    String.raw`^ \[`,
  ].join('|'),
);
