/**
 * Which paths an error message is about. Programs put them before the error's words, after them, or on a line of their
 * own. What is read here is only what the program claims; somebody else checks it.
 */
import type { Mention } from './error-mentions.js';
import type { NamedPath } from './named-path.js';
import { pathsAhead } from './paths-ahead.js';
import { pathsBehind } from './paths-behind.js';

/** None when the message names no path. */
export function namedPaths({ before, after, above, below }: Mention): readonly NamedPath[] {
  const behind = pathsBehind(after, above);
  if (behind.length > 0) return behind;
  const body = withoutEnd(before);
  const ahead = pathsAhead(body);
  return ahead.length === 0 && ALONE.test(body) ? pathsNearby([...above, ...below]) : ahead;
}

/** Drops what stands between a name and the words: `: `, ` (`, `: EROFS: `, `: [Errno 30] `, ` - open (30: `. */
function withoutEnd(line: string): string {
  let body = line.trimEnd();
  for (;;) {
    const [end] = END.exec(body.slice(-LONGEST_END)) ?? [];
    if (end === undefined) return body;
    body = body.slice(0, -end.length).trimEnd();
  }
}

const END =
  /(?:[:(,]|\b(?:EROFS|EACCES|EPERM)|\[Errno \d+\]| - \w{1,20} \(\d+| failed| for (?:writing|write|output))$/i;
const LONGEST_END = 40;

/** Nothing but marks, or a word like "error", stands before the words. */
const ALONE = /^(?:[^\p{L}\p{N}]{0,80}|[\w /:]{0,40}\berrors?)$/iu;

/** cargo and unzip tell what they could not do first and the reason on a line of its own; zip does it the other way. */
function pathsNearby(lines: readonly string[]): readonly NamedPath[] {
  for (const line of lines) {
    const paths = COMPLAINT.test(line) ? pathsAhead(withoutEnd(line.slice(-LONGEST_LINE))) : [];
    const whole = paths.filter(({ path }) => path.startsWith('/'));
    if (whole.length > 0) return whole;
  }
  return [];
}

const COMPLAINT = /\b(?:cannot|can't|could not|couldn't|unable|failed)\b/i;
const LONGEST_LINE = 4096;
