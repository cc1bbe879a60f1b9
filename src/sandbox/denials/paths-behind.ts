/** The paths that follow the words of an error, as Python, Node, Ruby, Rust and Java put them. */
import type { NamedPath } from './named-path.js';
import { quotedIn } from './quoted.js';

/** `: '/a'`, `, rename '/a' -> '/b'`, ` (os error 30) at path "/a"`, ` @ rb_sysopen - /a`. */
export function pathsBehind(after: string, above: readonly string[]): readonly NamedPath[] {
  const [lead] = /^(?: \(os error \d+\) at path | ?: |, [a-z]+ | @ [\w ]{1,40} - | - )/.exec(after) ?? [];
  if (lead === undefined) return [];
  const names = namesIn(after.slice(lead.length));
  const moves = MOVES.test(lead) || calls(above, MOVES);
  const removed = moves || REMOVES.test(lead) || calls(above, REMOVES);
  // Of "this to that", only a move changes both; else the second is what was to be made.
  return (moves ? names : names.slice(-1)).map((path) => ({ path, removed, bare: false }));
}

function namesIn(text: string): readonly string[] {
  if (/^b?["'`\u2018]/.test(text)) return quotedNames(text);
  const [name = ''] = text.split(' (Errno::', 1);
  const [, from, to] = /^\(([^,]*), ([^,]*)\)$/.exec(name) ?? [];
  if (from !== undefined && to !== undefined) return [from, to];
  return /^\.{0,2}\/[^'"`]*$/.test(name) ? name.split(' -> ').slice(0, 2) : [];
}

function quotedNames(text: string): readonly string[] {
  const [first, second] = quotedIn(text);
  if (!first) return [];
  const isPair = second !== undefined && /^ -> b?$/.test(text.slice(first.to, second.from));
  return isPair ? [first.text, second.text] : [first.text];
}

/** Python does not name the call in the message, but shows it just above. */
function calls(above: readonly string[], names: RegExp): boolean {
  return above.slice(0, 2).some((line) => new RegExp(`${names.source}\\w*\\(`).test(line));
}

const MOVES = /\b(?:rename|replace|move)/;
const REMOVES = /\b(?:remove|unlink|rmdir|rmtree|file_s_rename|file_s_unlink|dir_s_rmdir)/;
