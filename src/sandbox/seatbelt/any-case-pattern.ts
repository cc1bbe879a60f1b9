/** A pattern for one name in a folder, in whichever case it is written, and for all below it. */
import path from 'node:path';

/** The folder is taken as it is; only ASCII letters of the name have two cases. */
export function anyCasePattern(file: string): string {
  const { dir, base } = path.parse(file);
  const folder = dir.endsWith('/') ? dir : `${dir}/`;
  return `^${quoted(folder)}${quoted(base).replaceAll(/[a-z]/gi, bothCases)}(/|$)`;
}

function quoted(text: string): string {
  return text.replaceAll(/[\\^$.|?*+()[\]{}]/g, String.raw`\$&`);
}

function bothCases(letter: string): string {
  return `[${letter.toLowerCase()}${letter.toUpperCase()}]`;
}
