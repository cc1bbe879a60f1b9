/** Which files `tar` and `unzip` read and write. */
import type { Word } from '../shell/reading.js';
import { hasOption, listed, readArguments, readOptions, valuesOf } from './command-options.js';
import { filesRead, filesWritten } from './file-habits.js';
import type { CommandFile } from './file-habits.js';
import { below, within } from './file-words.js';

const TAR_TAKES = listed(`
  -f -C -T -X -b -g -I -H -K -L -N -V -F --file --directory --files-from --exclude-from --exclude --transform --format
  --use-compress-program --strip-components --owner --group --mode --add-file --listed-incremental --index-file
  --label --newer --mtime --suffix --to-command --checkpoint-action
`);

const TAR = { takes: TAR_TAKES, flags: ['--list', '--checkpoint'] };

/** Words come without the program. */
export function tarFiles(words: readonly Word[]): readonly CommandFile[] {
  const { options } = readOptions(withDashes(words), TAR);
  const { folders, members } = placesOf(words);
  const has = (names: string): boolean => hasOption(options, listed(names));
  const values = (names: string): readonly Word[] => valuesOf(options, listed(names));
  const archives = values('-f --file').filter((archive) => archive !== '-');
  const others = [
    ...filesRead(values('-T -X -g --files-from --exclude-from --listed-incremental'), false),
    ...filesWritten(values('-g --listed-incremental --index-file'), false),
  ];
  if (has('-x --extract --get')) {
    const targets = folders.length > 0 ? folders : ['.'];
    return [...others, ...filesRead(archives, false), ...filesWritten(targets, true)];
  }
  if (has('-t --list -d --diff --compare')) return [...others, ...filesRead(archives, false)];
  const isChanged = has('-r -u -A --append --update --catenate --concatenate --delete');
  return [
    ...others,
    ...(isChanged ? filesRead(archives, false) : []),
    ...filesWritten(archives, false),
    ...filesRead(members, true),
  ];
}

/** Each `-C` is meant from the one before it, and each member from the last before itself. */
function placesOf(words: readonly Word[]): { readonly folders: readonly Word[]; readonly members: readonly Word[] } {
  const folders: Word[] = [];
  const members: Word[] = [];
  for (const argument of readArguments(withDashes(words), TAR)) {
    const folder = folders.at(-1);
    if ('operand' in argument) members.push(within(folder, argument.operand));
    else if (argument.value === undefined) continue;
    else if (argument.name === '--add-file') members.push(within(folder, argument.value));
    else if (['-C', '--directory'].includes(argument.name)) folders.push(within(folder, argument.value));
  }
  return { folders, members };
}

/** `tar czf a b` is `tar -c -z -f a b`: the values follow in the order of their letters. */
function withDashes(words: readonly Word[]): readonly Word[] {
  const [keys, ...rest] = words;
  if (typeof keys !== 'string' || !/^[A-Za-z]+$/.test(keys)) return words;
  const letters = Array.from(keys, (letter) => `-${letter}`);
  const values = letters.filter((letter) => TAR_TAKES.includes(letter)).length;
  let next = 0;
  const options = letters.flatMap((letter): Word[] => {
    if (!TAR_TAKES.includes(letter)) return [letter];
    const value = rest[next];
    next += 1;
    return value === undefined ? [] : [letter, value];
  });
  return [...options, ...rest.slice(values)];
}

/** Words come without the program. */
export function unzipFiles(words: readonly Word[]): readonly CommandFile[] {
  const { options, operands } = readOptions(words, { takes: ['-d', '-P', '-x'] });
  const [archive, ...members] = operands;
  const isCut = typeof archive === 'string' && !/\.[^/]*$/.test(archive);
  const names = archive === undefined ? [] : [archive, ...(isCut ? [`${archive}.zip`] : [])];
  const archives = filesRead(names, false);
  if (options.some(({ name }) => listed('-l -t -p -v -Z -z').includes(name))) return archives;
  const folder = options.find(({ name }) => name === '-d')?.value ?? '.';
  const inside = members.map((member) => below(folder, member));
  return [...archives, ...filesWritten([folder], true), ...filesWritten(inside, false)];
}
