/** Programs that may show the environment, and with it secrets: the forms of them that surely do not. */
import { isExact, sureText } from '../shell/reading.js';
import type { Word } from '../shell/reading.js';
import { isOption, listed, mayBringOption, readOptions } from './command-options.js';

const JQ_FLAGS = listed(`
  -n -r -j -a -s -c -C -M -S -e -R --null-input --raw-input --slurp --compact-output --raw-output --join-output
  --ascii-output --sort-keys --color-output --monochrome-output --tab --exit-status --seq --stream --unbuffered
`);
const JQ_PAIRS = ['--arg', '--argjson', '--slurpfile', '--rawfile'];
const JQ_OPTIONS: ReadonlySet<string> = new Set([...JQ_FLAGS, ...JQ_PAIRS, '--indent', '--args', '--jsonargs']);

/** `jq`: its program stands in the words, imports nothing and does not speak of the environment. */
export function filtersPlainly(words: readonly Word[]): boolean {
  const rest = words.slice(1);
  if (rest.some((word) => /env|import|include/i.test(sureText(word)))) return false;
  if (rest.some((word) => typeof word !== 'string' && isOption(word.begins))) return false;
  const { options, operands } = readOptions(rest, { takes: ['--indent', ...JQ_PAIRS], pairs: JQ_PAIRS });
  const [program = '.', ...files] = operands;
  const isOpen = (word: Word): boolean => typeof word !== 'string' && word.splits && !files.includes(word);
  return (
    options.every(({ name }) => JQ_OPTIONS.has(name)) &&
    typeof program === 'string' &&
    !rest.some(isOpen) &&
    files.every((file) => typeof file === 'string' || !mayBringOption(file))
  );
}

const PS_FIELD = new RegExp(
  String.raw`^(?:%cpu|%mem|args|cmd|comm|command|cputime|egid|egroup|elapsed|etimes?|euid|euser|gid|group|lstart|lwp|nice|
  ni|nlwp|pcpu|pgid|pgrp|pid|pmem|ppid|pri|psr|rgid|rgroup|rss|rsz|ruid|ruser|sess|sid|size|start|start_time|stat|state|
  stime|sz|tid|time|tname|tpgid|tt|tty|ucmd|ucomm|uid|user|vsize|vsz|wchan)(?:=[^,]*)?$`.replace(/\s+/g, ''),
);

/** No letter that shows the environment, on any system. */
const PS_LETTERS = /^-?[a-df-zA-DF-Z]+$/;
const PS_NUMBERS = /^\d[\d,]*$/;
const PS_LOOKS = /^--(?:no-headers?|forest|sort=[-+]?(?<fields>.*))$/s;
/** What follows is a list of fields, whichever way the letters before it are read. */
const PS_FORMAT = /^-?[aAdfFjlHLTxw]*o$/;
/** `-e` means every process, unless something beside it makes `ps` read all of its words in another way. */
const PS_EVERY = /^-e(?:[fFlyHLw]*|o)$/;

/** `ps`: neither `ps auxe` nor `ps -o environ`. */
export function listsProcesses(words: readonly Word[]): boolean {
  const rest = words.slice(1);
  const [first, ...more] = rest;
  if (typeof first === 'string' && PS_EVERY.test(first)) {
    return more.every((word, at) => looks(word) || isFormat(word, rest[at]) || (word === '-o' && first === '-e'));
  }
  return rest.every((word, at) => {
    if (rest[at - 1] === '-p') return isExact(word) ? PS_NUMBERS.test(word) : !word.splits;
    if (looks(word) || isFormat(word, rest[at - 1])) return true;
    return isExact(word) && (PS_LETTERS.test(word) || PS_NUMBERS.test(word));
  });
}

function looks(word: Word): boolean {
  const [, fields] = isExact(word) ? (PS_LOOKS.exec(word) ?? []) : [];
  return isExact(word) && PS_LOOKS.test(word) && (fields === undefined || areFields(fields));
}

function isFormat(word: Word, before: Word | undefined): boolean {
  if (typeof word !== 'string' || typeof before !== 'string') return false;
  return (PS_FORMAT.test(before) || before === '-eo') && areFields(word);
}

function areFields(text: string): boolean {
  return text.split(',').every((field) => PS_FIELD.test(field.replace(/^[-+]/, '')));
}
