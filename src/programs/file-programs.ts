/** Programs that name their files in a way of their own. */
import type { Word } from '../shell/reading.js';
import { CURL, GIT_FILES } from './command-file-table.js';
import { listed, readOptions, sureText, wordFrom } from './command-options.js';
import { filesByHabit, filesRead, filesWritten, possibleFiles } from './file-habits.js';
import type { CommandFile } from './file-habits.js';
import { splitGlobalOptions } from './global-options.js';

/** Words come without the program. */
export const FILE_PROGRAMS: ReadonlyMap<string, (words: readonly Word[]) => readonly CommandFile[]> = new Map([
  ['curl', curlFiles],
  ['dd', ddFiles],
  ['find', findFiles],
  ['git', gitFiles],
  ['tar', tarFiles],
  ['bsdtar', tarFiles],
  ['gtar', tarFiles],
  ['unzip', unzipFiles],
]);

function curlFiles(words: readonly Word[]): readonly CommandFile[] {
  const { data, reads, writes, takes } = CURL;
  const cookies = ['-b', '--cookie'];
  const { options, operands } = readOptions(words, { takes: [...data, ...reads, ...writes, ...takes, ...cookies] });
  const valuesOf = (names: readonly string[]): readonly Word[] =>
    options.flatMap(({ name, value }) => (names.includes(name) && value !== undefined ? [value] : []));
  const urls = [...operands, ...valuesOf(['--url'])];
  const keepsName = options.some(({ name }) => ['-O', '--remote-name', '--remote-name-all', '-J'].includes(name));
  const folder = valuesOf(['--output-dir'])[0] ?? '.';
  return [
    ...filesRead(valuesOf(reads), false),
    ...filesRead(valuesOf(data).flatMap(dataFile), false),
    ...filesRead(
      valuesOf(cookies).filter((value) => !sureText(value).includes('=')),
      false,
    ),
    ...filesRead(urls.flatMap(fileOfUrl), false),
    ...filesWritten(valuesOf(writes), false),
    ...(keepsName ? filesWritten([folder], true) : []),
  ].filter(({ target }) => target !== '-' && target !== '');
}

/** `@file`, `name@file`, `name=@file;type=…` and `name=<file`. */
function dataFile(value: Word): readonly Word[] {
  const [mark] = /^[^@<=]*(?:=[@<]|@)|^</.exec(sureText(value)) ?? [];
  if (mark === undefined) return [];
  const file = wordFrom(value, mark.length);
  return typeof file === 'string' ? [file.replace(/;(?:type|filename|headers|encoder)=.*$/s, '')] : [file];
}

function fileOfUrl(word: Word): readonly Word[] {
  const [mark] = /^file:(?:\/\/(?:localhost|127\.0\.0\.1)?)?(?=\/)/i.exec(sureText(word)) ?? [];
  return mark === undefined ? [] : [wordFrom(word, mark.length)];
}

function ddFiles(words: readonly Word[]): readonly CommandFile[] {
  const valuesOf = (mark: string): readonly Word[] =>
    words.filter((word) => sureText(word).startsWith(mark)).map((word) => wordFrom(word, mark.length));
  return [...filesRead(valuesOf('if='), false), ...filesWritten(valuesOf('of='), false)];
}

const FIND_READS = listed('-newer -anewer -cnewer -samefile -files0-from');
const FIND_WRITES = listed('-fprint -fprint0 -fprintf -fls');

function findFiles(words: readonly Word[]): readonly CommandFile[] {
  const start = words.findIndex((word) => typeof word !== 'string' || !/^-(?:[HLP]+|O\d*)$/.test(word));
  const rest = start < 0 ? [] : words.slice(start);
  const end = rest.findIndex((word) => typeof word === 'string' && /^(?:-.*|[(!),])$/s.test(word));
  const named = end < 0 ? rest : rest.slice(0, end);
  const folders = named.length > 0 ? named : ['.'];
  const after = (names: readonly string[]): readonly Word[] =>
    words.filter((_, at) => names.includes(sureText(words[at - 1] ?? '')));
  return [
    ...filesRead(folders, true),
    ...(words.includes('-delete') ? filesWritten(folders, true) : []),
    ...filesRead(after(FIND_READS), false),
    ...filesWritten(after(FIND_WRITES), false),
  ];
}

const TAR_TAKES = listed(`
  -f -C -T -X -b -g -I -H -K -L -N -V -F --file --directory --files-from --exclude-from --exclude --transform --format
  --use-compress-program --strip-components --owner --group --mode
`);

function tarFiles(words: readonly Word[]): readonly CommandFile[] {
  const { options, operands } = readOptions(withDashes(words), { takes: TAR_TAKES });
  const has = (...names: readonly string[]): boolean => options.some((option) => names.includes(option.name));
  const valuesOf = (...names: readonly string[]): readonly Word[] =>
    options.flatMap(({ name, value }) => (names.includes(name) && value !== undefined ? [value] : []));
  const archives = valuesOf('-f', '--file').filter((archive) => archive !== '-');
  const folders = valuesOf('-C', '--directory');
  const lists = filesRead(valuesOf('-T', '-X', '--files-from', '--exclude-from'), false);
  if (has('-x', '--extract', '--get')) {
    return [...lists, ...filesRead(archives, false), ...filesWritten(folders.length > 0 ? folders : ['.'], true)];
  }
  if (has('-t', '--list', '-d', '--diff', '--compare')) return [...lists, ...filesRead(archives, false)];
  const [folder] = folders;
  return [
    ...lists,
    ...filesWritten(archives, false),
    ...filesRead(
      operands.map((each) => within(folder, each)),
      true,
    ),
  ];
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

function unzipFiles(words: readonly Word[]): readonly CommandFile[] {
  const { options, operands } = readOptions(words, { takes: ['-d', '-P', '-x'] });
  const archives = filesRead(operands.slice(0, 1), false);
  if (options.some(({ name }) => listed('-l -t -p -v -Z -z').includes(name))) return archives;
  const folder = options.find(({ name }) => name === '-d')?.value ?? '.';
  return [...archives, ...filesWritten([folder], true)];
}

const GIT_PLACES = listed('-C --git-dir --work-tree');

function gitFiles(words: readonly Word[]): readonly CommandFile[] {
  const { options, words: rest } = splitGlobalOptions(['git', ...words]);
  const places = options.flatMap(({ name, value }) =>
    GIT_PLACES.includes(name) && value !== undefined ? [value] : [],
  );
  const [, command, ...operands] = rest;
  const files = typeof command === 'string' ? gitOperands(command, operands) : possibleFiles(operands);
  const folders = options.flatMap(({ name, value }) => (name === '-C' && value !== undefined ? [value] : []));
  const folder = folders.length > 0 ? folders.reduce((outer, inner) => within(outer, inner)) : undefined;
  const here = files.map(({ access, target, whole, certain }) => {
    return { access, target: within(folder, target), whole, certain };
  });
  return [...filesRead(places, true), ...here];
}

function gitOperands(command: string, words: readonly Word[]): readonly CommandFile[] {
  const habits = GIT_FILES.get(command);
  if (habits !== undefined) return filesByHabit(words, habits);
  if (command === 'clone') return clonedFolder(words);
  const end = words.indexOf('--');
  if (command !== 'checkout' || end < 0) return possibleFiles(words);
  return filesWritten(words.slice(end + 1), true);
}

function clonedFolder(words: readonly Word[]): readonly CommandFile[] {
  const takes = listed('-b --branch -o --origin -u --upload-pack -c --config -j --jobs --depth --filter --template');
  const { operands } = readOptions(words, { takes: [...takes, '--reference', '--separate-git-dir'] });
  const [source = '', folder] = operands;
  const [, name] = typeof source === 'string' ? (/([^/:]+?)(?:\.git)?\/*$/.exec(source) ?? []) : [];
  const isLocal = !/^[^/]*:/.test(sureText(source));
  return [
    ...(isLocal && source !== '' ? filesRead([source], true) : []),
    ...filesWritten([folder ?? name ?? '.'], true),
  ];
}

/** A path that is meant from a folder. */
function within(folder: Word | undefined, word: Word): Word {
  const text = sureText(word);
  if (folder === undefined || text.startsWith('/') || text.startsWith('~')) return word;
  if (typeof folder !== 'string') return folder;
  return typeof word === 'string' ? `${folder}/${word}` : { ...word, begins: `${folder}/${word.begins}` };
}
