/** Where the repository behind a `.git` is kept. The two small formats are read as git itself reads them. */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** git takes nothing larger for a pointer. */
const MOST_BYTES = 1 << 20;

const POINTER = 'gitdir: ';

/** The folder that a file called `.git` in `folder` names; undefined when git would not understand the file either. */
export function gitFolderNamedBy(file: string, folder: string): string | undefined {
  const text = smallText(file);
  const named = text === undefined ? undefined : parseGitFile(text);
  return named === undefined ? undefined : within(folder, named);
}

/** The folder that a git folder shares its settings and hooks with, if it is not the only one. */
export function commonFolderOf(gitFolder: string): string | undefined {
  const text = smallText(path.join(gitFolder, 'commondir'));
  const named = text === undefined ? undefined : asName(text);
  return named === undefined ? undefined : within(gitFolder, named);
}

export function parseGitFile(text: string): string | undefined {
  return text.startsWith(POINTER) ? asName(text.slice(POINTER.length)) : undefined;
}

/** Line ends go first and only then what follows a NUL, in this order; a line end within is part of the name. */
function asName(text: string): string | undefined {
  let end = text.length;
  while (end > 0 && (text[end - 1] === '\n' || text[end - 1] === '\r')) end -= 1;
  const [name] = text.slice(0, end).split('\0', 1);
  return name === '' ? undefined : name;
}

/** Not normalised: after a link, `..` leads somewhere else than the text says. */
function within(folder: string, named: string): string {
  return path.isAbsolute(named) ? named : `${folder}${path.sep}${named}`;
}

function smallText(file: string): string | undefined {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats?.isFile() || stats.size > MOST_BYTES) return undefined;
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
