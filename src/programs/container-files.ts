/** Which files a container is given. Whatever else is said to `docker` and its kin may be a file, too. */
import { sureText } from '../shell/reading.js';
import type { Word } from '../shell/reading.js';
import { readOptions, valuesOf, wordFrom } from './command-options.js';
import { filesRead, filesWritten, possibleFiles } from './file-habits.js';
import type { CommandFile } from './file-habits.js';

const VOLUMES = ['-v', '--volume'];
const MOUNTS = ['--mount', '--secret'];

/** Words come without the program. */
export function containerFiles(words: readonly Word[]): readonly CommandFile[] {
  const { options } = readOptions(words, { takes: [...VOLUMES, ...MOUNTS] });
  const mounted = [
    ...valuesOf(options, VOLUMES).flatMap(volumeSource),
    ...valuesOf(options, MOUNTS).flatMap(mountSource),
  ];
  return [...filesRead(mounted, true), ...filesWritten(mounted, true), ...possibleFiles(words)];
}

/** `./a:/b:ro`; a name without a folder is that of a volume. */
function volumeSource(value: Word): readonly Word[] {
  const text = sureText(value);
  const colon = text.indexOf(':');
  const source = colon < 0 ? value : text.slice(0, colon);
  return /^[./~]/.test(text) || (typeof source !== 'string' && text === '') ? [source] : [];
}

/** `type=bind,source=a,target=/b`. */
function mountSource(value: Word): readonly Word[] {
  const text = sureText(value);
  const [mark] = /^(?:[^]*,)?(?:src|source)=/.exec(text) ?? [];
  if (mark === undefined) return [];
  const comma = text.indexOf(',', mark.length);
  return [comma < 0 ? wordFrom(value, mark.length) : text.slice(mark.length, comma)];
}
