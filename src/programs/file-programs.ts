/** Programs that name their files in a way of their own. */
import { isExact, sureText } from '../shell/reading.js';
import type { Word } from '../shell/reading.js';
import { tarFiles, unzipFiles } from './archive-files.js';
import { GIT_FILES } from './command-file-table.js';
import { listed, readOptions, wordFrom } from './command-options.js';
import { containerFiles } from './container-files.js';
import { curlFiles, wgetFiles } from './download-files.js';
import { filesByHabit, filesRead, filesWritten, possibleFiles } from './file-habits.js';
import type { CommandFile } from './file-habits.js';
import { within } from './file-words.js';
import { splitGlobalOptions } from './global-options.js';

/** Words come without the program. */
export const FILE_PROGRAMS: ReadonlyMap<string, (words: readonly Word[]) => readonly CommandFile[]> = new Map([
  ['curl', curlFiles],
  ['dd', ddFiles],
  ['docker', containerFiles],
  ['podman', containerFiles],
  ['nerdctl', containerFiles],
  ['find', findFiles],
  ['git', gitFiles],
  ['tar', tarFiles],
  ['bsdtar', tarFiles],
  ['gtar', tarFiles],
  ['unzip', unzipFiles],
  ['wget', wgetFiles],
]);

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
  const end = rest.findIndex((word) => isExact(word) && /^(?:-.*|[(!),])$/s.test(word));
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

/** Sub-commands that take `HEAD:path` or `:(top)path`. */
const GIT_COLONS: ReadonlySet<string> = new Set(
  listed('show cat-file diff difftool log blame annotate grep ls-files ls-tree archive add rm restore checkout stash'),
);

function gitOperands(command: string, words: readonly Word[]): readonly CommandFile[] {
  const files = gitFilesOf(command, words);
  if (!GIT_COLONS.has(command)) return files;
  const named = words.filter((word) => sureText(word).includes(':') && !sureText(word).startsWith('-'));
  const special = named.filter((word) => sureText(word).startsWith(':'));
  const ofRevision = named.filter((word) => !special.includes(word));
  return [
    ...files,
    ...filesRead(ofRevision.flatMap(behindColons), false),
    ...possibleFiles(special.flatMap(behindColons).flatMap(withoutMagic)),
  ];
}

const MOST_COLONS = 16;

function behindColons(word: Word): readonly Word[] {
  const colons = [...sureText(word).matchAll(/:/g)].slice(0, MOST_COLONS);
  return colons.map(({ index }) => wordFrom(word, index + 1));
}

/** `:(top)a`, `:/a` and `:!a`. */
function withoutMagic(word: Word): readonly Word[] {
  const [mark] = /^(?:\([^)]*\)|[/!^]+)/.exec(sureText(word)) ?? [];
  return mark === undefined ? [word] : [word, wordFrom(word, mark.length)];
}

function gitFilesOf(command: string, words: readonly Word[]): readonly CommandFile[] {
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
