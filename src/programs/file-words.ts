/** Names of files that a command makes of its words. */
import { isExact, sureText } from '../shell/reading.js';
import type { Word } from '../shell/reading.js';

/** A path that is meant from a folder. */
export function within(folder: Word | undefined, word: Word): Word {
  const text = sureText(word);
  if (folder === undefined || text.startsWith('/') || text.startsWith('~')) return word;
  return below(folder, word);
}

/** The same where even an absolute path is put below the folder. */
export function below(folder: Word, word: Word): Word {
  if (typeof folder !== 'string') return folder;
  const path = (text: string): string =>
    `${folder.endsWith('/') && folder !== '/' ? folder.slice(0, -1) : folder}/${text}`;
  return isExact(word) ? path(word) : { ...word, begins: path(word.begins) };
}

/** What something is called once it was put into a folder; nothing where that is no more than the folder. */
export function nameIn(folder: Word, source: Word): readonly Word[] {
  if (typeof folder !== 'string') return [];
  if (typeof source !== 'string') return [below(folder, { ...source, begins: sureName(source) })];
  const name = lastName(source.replace(/\/+$/, ''));
  return ['', '.', '..'].includes(name) ? [] : [below(folder, name)];
}

/** The last name begins with more than nothing only where no variable may bring another folder. */
function sureName({ source, begins }: Exclude<Word, string>): string {
  const name = lastName(begins);
  return !/[$`(]/.test(source) && lastName(source).startsWith(name) ? name : '';
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** What a file of the net is called when it is kept under its own name. */
export function namesOfUrl(folder: Word, url: Word): readonly Word[] {
  if (typeof url !== 'string') return [below(folder, { ...url, begins: '' })];
  const [path = ''] = url.replace(/^[a-z0-9+.-]+:\/*/i, '').split('#', 1);
  const [bare = ''] = path.split('?', 1);
  const slash = bare.lastIndexOf('/');
  if (slash < 0 || slash === bare.length - 1) return [below(folder, 'index.html')];
  const names = [path.slice(slash + 1), bare.slice(slash + 1)].flatMap((name) => [name, unescaped(name) ?? name]);
  return [...new Set(names)].map((name) => below(folder, name));
}

/** `%41` as `A`; undefined where that gives no text. */
export function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const PACKED = /\.(?:t?gz|taz|z|t?bz2?|tbz|t?xz|tlz|lzma|t?zst|lz4)$/i;

/** A file packed and unpacked, whichever of them it is. */
export function packedNames(word: Word, suffixes: readonly string[]): readonly Word[] {
  if (typeof word !== 'string') return [word];
  const end = suffixes.find((suffix) => suffix !== '' && word.endsWith(suffix)) ?? PACKED.exec(word)?.[0] ?? '';
  const bare = end === '' ? [] : [`${word.slice(0, -end.length)}${/^\.ta?[^a]/i.test(end) ? '.tar' : ''}`];
  return [word, ...bare, ...suffixes.filter((suffix) => !word.endsWith(suffix)).map((suffix) => word + suffix)];
}
