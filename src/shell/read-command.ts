/** One command with what it runs in turn: the script of a shell, the command behind `sudo` or `xargs`. */
import path from 'node:path';

import { FOREIGN } from './blind-spots.js';
import { blindBuiltin } from './builtins.js';
import { skipOptions } from './options.js';
import type { Dialect, Place } from './place.js';
import { notRead, readScript } from './read-script.js';
import type { WrittenCommand } from './read-script.js';
import { isExact, sureText } from './reading.js';
import type { Inside, Reading, Segment, Surroundings, Word } from './reading.js';
import { isInput, scriptIn } from './shell-script.js';
import { isSystemShell, shellKind } from './shells.js';
import { systemProgram } from './system-program.js';
import { GIVES_TO_SHELL, KNOWN_LATER, RUNS_INPUT, TOO_DEEP } from './unclear.js';
import { INTERPRETERS, SHELL_STARTERS, WRAPPERS, isCarrier } from './wrappers.js';

/** The command line of a program, as it would be started in the given surroundings. */
export function readArgv(argv: readonly string[], { cwd, home }: Surroundings): Segment {
  return readCommand({ words: argv, variables: [] }, { dialect: 'bash', folders: [cwd], home, depth: 0 });
}

/** Text as a shell would read it, such as a line that is typed into one. */
export function readText(script: string, { cwd, home }: Surroundings): Reading {
  return readScript(script, { dialect: 'bash', folders: [cwd], home, depth: 0 }, readCommand);
}

const DEEPEST = 8;

function readCommand(command: WrittenCommand, place: Place): Segment {
  const runs = place.depth > DEEPEST ? { plainly: false, reading: notRead(TOO_DEEP) } : insideOf(command, place);
  return {
    words: bounded(command.words),
    variables: command.variables,
    folders: place.folders,
    ...(command.shadowed && { shadowed: true }),
    ...(runs && { runs: isItself(command) ? runs : { ...runs, plainly: false } }),
  };
}

const LONGEST_WORD = 4 * 1024;
const MOST_WORDS = 2_000;

/** Nobody looks into words without end; what is left out of them may be anything. */
function bounded(words: readonly Word[]): readonly Word[] {
  const some = words.length > MOST_WORDS ? [...words.slice(0, MOST_WORDS), THE_REST] : words;
  return some.map((word) =>
    isExact(word) && word.length > LONGEST_WORD
      ? { source: `${word.slice(0, 64)}…`, begins: word.slice(0, 256), splits: false }
      : word,
  );
}

const THE_REST: Word = { source: '…', begins: '', splits: true };

const BUILTINS: ReadonlySet<string> = new Set(['builtin', 'command', 'eval', 'exec', 'trap']);

/** Whether it is the program that everybody means by its name: a project may bring one that is called `timeout`. */
function isItself({ words: [program] }: WrittenCommand): boolean {
  if (!isExact(program)) return false;
  const name = systemProgram(program);
  return name !== undefined && (name === program || !BUILTINS.has(name));
}

function insideOf(command: WrittenCommand, place: Place): Inside | undefined {
  const { words } = command;
  const [program] = words;
  if (!isExact(program)) return notKnown('its program is only known when it runs');
  const blind = blindBuiltin(words);
  if (blind !== undefined) return notKnown(blind);
  const name = path.basename(program);
  if (name === 'git' && words.some(renames)) return notKnown('it gives a sub-command another name');
  const inner = { ...place, depth: place.depth + 1, carried: false };
  if (dialectOf(program) !== undefined) return insideShell(command, program, inner);
  switch (name) {
    case 'eval':
      return insideEval(words, inner);
    case 'trap':
      return insideTrap(words, inner);
    case '.':
    case 'source':
      // Without a file it does nothing.
      if (words.length === 1) return undefined;
      return isExact(words[1]) && !isInput(words[1]) ? undefined : notKnown(RUNS_INPUT);
    case 'find':
      return insideFind(words, inner);
    case 'xargs':
      return insideXargs(words, inner);
  }
  if (INTERPRETERS.has(name)) return command.input === undefined ? insideInterpreter(words) : undefined;
  // What is carried by what is carried is looked at already.
  if (SHELL_STARTERS.has(name)) return place.carried ? notKnown(GIVES_TO_SHELL) : insideShellStarter(words, inner);
  if (isCarrier(name, words)) return place.carried ? undefined : insideCarrier(words, inner);
  return insideWrapper(name, command, { ...inner, carried: place.carried ?? false });
}

/** `git -c alias.x=push x` */
function renames(word: Word): boolean {
  return /^(?:-c|--config-env=)?alias\./.test(isExact(word) ? word : word.begins);
}

function notKnown(why: string): Inside {
  return { plainly: false, reading: notRead(why) };
}

function dialectOf(program: string): Dialect | undefined {
  const kind = shellKind(program);
  return kind === 'bash' || kind === 'sh' || kind === 'zsh' ? kind : undefined;
}

/** A shell with a script, or with one as its input; with a file it is a program like any other. */
function insideShell(command: WrittenCommand, program: string, place: Place): Inside | undefined {
  const given = scriptIn(command.words);
  const home = command.variables.includes('HOME') ? undefined : place.home;
  const shell = { ...place, home, dialect: dialectOf(program) ?? 'sh', goesOn: false };
  switch (given.kind) {
    case 'file':
      return undefined;
    case 'unknown':
      return notKnown(KNOWN_LATER);
    case 'input':
      return command.input === undefined ? notKnown(RUNS_INPUT) : insideInput(command.input, shell);
    case 'script':
      return {
        plainly: given.plainly && isSystemShell(program),
        reading: readScript(given.script, shell, readCommand),
      };
  }
}

/** A command that reads leaves the shell to go on somewhere in the middle of its text. */
function insideInput(input: string, place: Place): Inside {
  const { segments, files, unclear } = readScript(input, place, readCommand);
  return {
    plainly: false,
    reading: { segments, files, unclear: [...unclear, 'its commands may take from its script'] },
  };
}

function insideEval(words: readonly Word[], place: Place): Inside {
  if (words[1] !== '--') return { plainly: true, reading: readJoined(words.slice(1), place) };
  const reading = readJoined(words.slice(2), place);
  // Not every shell takes this for the end of options.
  const unclear = place.dialect === 'bash' ? [] : [FOREIGN];
  return { plainly: true, reading: { ...reading, unclear: [...reading.unclear, ...unclear] } };
}

function readJoined(words: readonly Word[], place: Place): Reading {
  if (!words.every(isExact)) return notRead(KNOWN_LATER);
  return readScript(words.join(' '), { ...place, goesOn: true }, readCommand);
}

/** `trap 'commands' SIGNAL…`; without commands it lists, resets or ignores. They run wherever the shell is by then. */
function insideTrap(words: readonly Word[], place: Place): Inside | undefined {
  const [action, ...signals] = words.slice(words[1] === '--' ? 2 : 1);
  if (action === undefined || action === '-' || (signals.length === 0 && isExact(action))) return undefined;
  return { plainly: true, reading: readJoined([action], { ...place, folders: undefined }) };
}

const FIND_RUNS: ReadonlySet<Word> = new Set<Word>(['-exec', '-execdir', '-ok', '-okdir']);
const FIND_CHANGES: ReadonlySet<Word> = new Set<Word>(['-delete', '-fls', '-fprint', '-fprint0', '-fprintf']);

function insideFind(words: readonly Word[], place: Place): Inside | undefined {
  const segments: Segment[] = [];
  for (let at = 1; at < words.length; at += 1) {
    const option = words[at];
    if (option === undefined || !FIND_RUNS.has(option)) continue;
    const start = at + 1;
    while (at < words.length && !(words[at] === ';' || (words[at] === '+' && words[at - 1] === '{}'))) at += 1;
    const command = words.slice(start, at).map((each) => withUnknown(each, '{}', true));
    const folders = option === '-exec' ? place.folders : undefined;
    if (command.length > 0) segments.push(readCommand({ words: command, variables: [] }, { ...place, folders }));
  }
  // A word that is only known later may be one of these options.
  const open = words.slice(1).some((word) => !isExact(word) && (word.splits || /^-?$/.test(word.begins)));
  const unclear = open ? ['find may be told to run something'] : [];
  if (segments.length === 0 && unclear.length === 0) return undefined;
  return {
    plainly: !words.some((word) => FIND_CHANGES.has(word)),
    reading: { segments, files: [], unclear },
  };
}

/** What a program puts in place of a mark in a word is only known when it runs. */
function withUnknown(word: Word, mark: string, splits: boolean): Word {
  if (!isExact(word) || !word.includes(mark)) return word;
  return { source: word, begins: word.slice(0, word.indexOf(mark)), splits };
}

const XARGS = {
  flags: '0oprtx',
  valued: 'adEILnPs',
  longFlags: ['null', 'open-tty', 'interactive', 'no-run-if-empty', 'verbose', 'exit', 'show-limits'],
  longValued: ['arg-file', 'delimiter', 'max-args', 'max-procs', 'max-chars'],
  plainly: true,
};

const CUTS: ReadonlySet<string> = new Set(['-L', '-n', '--max-args']);

const FROM_INPUT: Word = { source: 'what it reads', begins: '', splits: true };

function insideXargs(words: readonly Word[], place: Place): Inside {
  const skipped = skipOptions(words, XARGS);
  if (skipped === undefined) return unreadWrapper(words, place);
  const mark = skipped.values.get('-I');
  // Of these, the last one holds.
  if (mark !== undefined && skipped.options.some((option) => CUTS.has(option))) return unreadWrapper(words, place);
  const named = skipped.command.length === 0 ? ['echo'] : skipped.command;
  const command = mark === undefined ? [...named, FROM_INPUT] : named.map((word) => withUnknown(word, mark, false));
  return { plainly: true, reading: oneCommand({ words: command, variables: [] }, place) };
}

function oneCommand(command: WrittenCommand, place: Place): Reading {
  return { segments: [readCommand(command, place)], files: [], unclear: [] };
}

/** With neither a program nor a file it waits for one on its input. */
function insideInterpreter(words: readonly Word[]): Inside | undefined {
  const args = words.slice(1);
  if (args.some((word) => isExact(word) && /^(?:--version|--help|-[vVh])$/.test(word))) return undefined;
  const takesInput = args.every((word) => !isExact(word) || word.startsWith('-') || isInput(word));
  return takesInput ? notKnown(RUNS_INPUT) : undefined;
}

const MOST_CARRIED = 48;

/** Each word but an option may be the first of the command that is run, or all of it. */
function insideCarrier(words: readonly Word[], outside: Place): Inside {
  if (words.length > MOST_CARRIED) return notKnown('it holds too many words');
  const place = { ...outside, folders: undefined, home: undefined, goesOn: false };
  const depth = Math.max(place.depth, DEEPEST - 2);
  const readings: Reading[] = [];
  for (const [index, word] of words.entries()) {
    if (index === 0 || /^-|^\w+=/.test(sureText(word)) || isFiles(word)) continue;
    if (isExact(word) && /[^\w./:=@%+,{}-]/.test(word)) readings.push(readScript(word, place, readCommand));
    readings.push(oneCommand({ words: words.slice(index), variables: [] }, { ...place, depth, carried: true }));
  }
  return { plainly: false, reading: allOf(readings) };
}

/** `src/*.ts` is no program. */
function isFiles(word: Word): boolean {
  return !isExact(word) && word.begins.includes('/');
}

function allOf(readings: readonly Reading[]): Reading {
  return {
    segments: readings.flatMap(({ segments }) => segments),
    files: readings.flatMap(({ files }) => files),
    unclear: [...new Set(readings.flatMap(({ unclear }) => unclear))],
  };
}

/** These start a shell, with what they are told or with what comes in. */
function insideShellStarter(words: readonly Word[], place: Place): Inside {
  const { reading } = insideCarrier(words, place);
  return { plainly: false, reading: { ...reading, unclear: [...reading.unclear, GIVES_TO_SHELL] } };
}

function insideWrapper(name: string, command: WrittenCommand, place: Place): Inside | undefined {
  const wrapper = WRAPPERS.get(name);
  if (wrapper === undefined) return undefined;
  const skipped = skipOptions(command.words, wrapper);
  // `command -v` only looks a name up.
  if (name === 'command' && (command.words[1] === '-v' || command.words[1] === '-V')) return undefined;
  if (skipped === undefined) return unreadWrapper(command.words, place);
  const has = (options: readonly string[] = []) => options.some((option) => skipped.options.includes(option));
  if (skipped.command.length === 0) return has(wrapper.startsShell) ? notKnown(RUNS_INPUT) : undefined;
  const variables = [...command.variables, ...skipped.assigned];
  const folders = has(wrapper.moves) ? undefined : place.folders;
  const home = wrapper.plainly && !has(wrapper.clears) ? place.home : undefined;
  const input = command.input === undefined ? {} : { input: command.input };
  const inner = { words: skipped.command, variables, ...input };
  return { plainly: wrapper.plainly, reading: oneCommand(inner, { ...place, folders, home }) };
}

/** Options that we do not know: the command is somewhere behind them. */
function unreadWrapper(words: readonly Word[], place: Place): Inside {
  const { reading } = insideCarrier(words, place);
  return { plainly: false, reading: { ...reading, unclear: ['it is not clear where the command behind it begins'] } };
}
