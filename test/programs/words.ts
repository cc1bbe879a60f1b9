import type { Word } from '../../src/shell/reading.js';

/**
 * The words of a simple command, written as in a shell: quotes, `$x` and `` `x` `` for what only the run will tell,
 * and patterns for files. Nothing else is understood.
 */
export function wordsOf(line: string): readonly Word[] {
  return (line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []).map(toWord);
}

function toWord(source: string): Word {
  let text = '';
  let begins: string | undefined;
  let splits = false;
  for (const [part] of source.matchAll(/'[^']*'|"[^"]*"|[^'"]/g)) {
    const isLiteral = part.startsWith("'");
    const isQuoted = isLiteral || part.startsWith('"');
    const inside = isQuoted ? part.slice(1, -1) : part;
    const special = isLiteral ? -1 : inside.search(isQuoted ? /[$`]/ : /[$`*?]/);
    if (special >= 0 && begins === undefined) begins = text + inside.slice(0, special);
    if (special >= 0 && !isQuoted) splits = true;
    text += inside;
  }
  return begins === undefined ? text : { source, begins, splits };
}
