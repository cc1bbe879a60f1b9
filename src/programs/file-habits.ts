/** Which files a command names, as far as its habits tell. */
import { sureText } from '../shell/reading.js';
import type { Word } from '../shell/reading.js';
import type { FileHabits } from './command-file-table.js';
import { hasOption, isOption, readOptions, valuesOf, wordFrom } from './command-options.js';
import { below, nameIn, packedNames } from './file-words.js';

export type CommandFile = {
  readonly access: 'read' | 'write';
  readonly target: Word;
  /** The folder, if it is one, is walked. */
  readonly whole: boolean;
  /** If not, the word may be read, be written, or be no file at all. */
  readonly certain: boolean;
};

/** The words without the program. */
export function filesByHabit(words: readonly Word[], habits: FileHabits): readonly CommandFile[] {
  const { reads = [], writes = [], into = [], takes = [] } = habits;
  const flags = [habits.flags, habits.changesWith, habits.readsWith, habits.keepsPath].flatMap((each) => each ?? []);
  const taking = [...takes, ...reads, ...writes, ...into];
  const { options, operands } = readOptions(words, { ...habits, takes: taking, flags });
  const has = (names?: readonly string[]): boolean => hasOption(options, names);
  const whole = habits.whole === true || has(habits.whole);
  const files = {
    operands: withoutFirst(operands, habits, has(habits.unless)),
    targets: valuesOf(options, into),
    suffixes: [...(habits.suffixes ?? []), ...valuesOf(options, habits.suffixWith ?? []).map(sureText)],
    changes: has(habits.changesWith),
    // Only where it is written out, as what is cut short may mean something else.
    readsOnly: options.some(({ name }) => habits.readsWith?.includes(name)),
    keepsPath: has(habits.keepsPath),
    hasCode: has(habits.unless),
    whole,
  };
  return [
    ...filesRead(valuesOf(options, reads), false),
    ...filesWritten(valuesOf(options, writes), whole),
    ...operandFiles(files, habits),
  ].filter(({ target }) => isFile(target, habits));
}

export function filesRead(targets: readonly Word[], whole: boolean): readonly CommandFile[] {
  return targets.map((target) => ({ access: 'read', target, whole, certain: true }));
}

export function filesWritten(targets: readonly Word[], whole: boolean): readonly CommandFile[] {
  return targets.map((target) => ({ access: 'write', target, whole, certain: true }));
}

/** Of a program that is not known: every word, and every part of a word, that may be a file. */
export function possibleFiles(words: readonly Word[]): readonly CommandFile[] {
  const targets = words.flatMap(possibleTargets).filter((target) => sureText(target) !== '');
  return targets.map((target) => ({ access: 'write', target, whole: false, certain: false }));
}

function possibleTargets(word: Word): readonly Word[] {
  const text = sureText(word);
  const values = valuesIn(word).flatMap(withoutMarks);
  if (!isOption(text)) return text.startsWith('-') ? [] : [...withoutMarks(word), ...values];
  if (text.startsWith('--')) return values;
  return [...withoutMarks(wordFrom(word, 2)), ...values];
}

const MOST_VALUES = 8;

/** `--from-file=key=path`, `name@path`, `text:path`, `a,path` */
function valuesIn(word: Word): readonly Word[] {
  const marks = [...sureText(word).matchAll(/[=@:,]/g)].slice(0, MOST_VALUES);
  return marks.map(({ index }) => wordFrom(word, index + 1));
}

/** `@file` and `file:///file` mean the file too. */
function withoutMarks(word: Word): readonly Word[] {
  const [mark = ''] = /^(?:@|file:\/\/(?:localhost)?(?=\/))/i.exec(sureText(word)) ?? [];
  return mark === '' ? [word] : [word, wordFrom(word, mark.length)];
}

function withoutFirst(operands: readonly Word[], { skipsFirst }: FileHabits, isReplaced: boolean): readonly Word[] {
  if (skipsFirst === undefined || isReplaced) return operands;
  const isSkipped = skipsFirst === true || skipsFirst.test(sureText(operands[0] ?? ''));
  return isSkipped ? operands.slice(1) : operands;
}

type Operands = {
  readonly operands: readonly Word[];
  /** Folders into which all operands go. */
  readonly targets: readonly Word[];
  readonly suffixes: readonly string[];
  readonly changes: boolean;
  readonly readsOnly: boolean;
  readonly keepsPath: boolean;
  readonly hasCode: boolean;
  readonly whole: boolean;
};

function operandFiles(files: Operands, habits: FileHabits): readonly CommandFile[] {
  const { whole } = files;
  const isHere = files.operands.length === 0 && (habits.here ?? (whole && habits.operands === 'read'));
  const operands = isHere ? ['.'] : files.operands;
  const [first, ...others] = operands;
  const firsts = first === undefined ? [] : [first];
  switch (habits.operands) {
    case 'read':
      return [...filesRead(operands, whole), ...(files.changes ? filesWritten(operands, whole) : [])];
    case 'write':
      return filesWritten(operands, whole);
    case 'change':
      return [...filesRead(operands, whole), ...(files.readsOnly ? [] : filesWritten(operands, whole))];
    case 'copy':
    case 'move':
      return copiedFiles(files, habits);
    case 'pack': {
      const names = operands.flatMap((operand) => packedNames(operand, files.suffixes));
      return [...filesRead(names, whole), ...(files.readsOnly ? [] : filesWritten(names, whole))];
    }
    case 'filter':
      return [...filesRead(firsts, false), ...filesWritten(others.slice(0, 1), false)];
    case 'archive':
      return [...filesWritten(firsts, false), ...filesRead(others, whole)];
    case 'script':
      return files.hasCode ? possibleFiles(operands) : [...filesRead(firsts, false), ...possibleFiles(others)];
    case 'none':
      return [];
  }
}

/** Where the last word may become several, it is a source too. What is put into a folder has a name there. */
function copiedFiles(files: Operands, habits: FileHabits): readonly CommandFile[] {
  const { operands, targets, whole } = files;
  if (files.changes) return filesWritten(operands, whole);
  const last = operands.at(-1);
  const splits = typeof last === 'object' && last.splits;
  const isTarget = targets.length === 0 && last !== undefined && (splits || operands.length > 1);
  const sources = isTarget && !splits ? operands.slice(0, -1) : operands;
  const written = isTarget ? [last] : targets;
  const folders = written.length > 0 ? written : ['.'];
  const names = folders.flatMap((folder) => sources.flatMap((source) => nameIn(folder, localName(source, habits))));
  const paths = files.keepsPath ? folders.flatMap((folder) => sources.map((source) => below(folder, source))) : [];
  return [
    ...filesRead(sources, whole),
    ...(habits.operands === 'move' ? filesWritten(sources, whole) : []),
    ...filesWritten(written, whole),
    ...filesWritten([...names, ...paths], whole),
  ];
}

/** Of `host:path`, the path. */
function localName(source: Word, { remote }: FileHabits): Word {
  return remote && typeof source === 'string' ? source.replace(/^[^/]*:/, '') : source;
}

/** `-` is a stream, and `host:path` is elsewhere. */
function isFile(target: Word, { remote }: FileHabits): boolean {
  const text = sureText(target);
  if (target === '-' || target === '') return false;
  return !(remote && /^(?:\[[^\]]*\]|[^/:]+):|^rsync:\/\//.test(text));
}
