/** What is said to text that would be typed into a running program: each line may be a command. */
import path from 'node:path';

import type { Effect } from '../core/effects.js';
import { absolutePath } from '../core/paths.js';
import { typedLines } from '../core/typed-line.js';
import type { TypedInto } from '../rules/rule-book.js';
import { everySegment, isExact } from '../shell/reading.js';
import type { Segment } from '../shell/reading.js';
import { shellKind } from '../shell/shells.js';
import { isCarrier } from '../shell/wrappers.js';
import type { JudgeContext, Part } from './context.js';
import { isRestricted, judgeReading } from './judge-command.js';
import { perhapsSaidBy, restricts, saidBy, strictest } from './rule-words.js';

type Typing = Extract<Effect, { kind: 'type' }>;

const ROOT = absolutePath('/');

/** Lines are judged whole, with what was typed of them before. */
export function judgeTyping(typing: Typing, given: JudgeContext): readonly Part[] {
  // No sandbox holds a program to the rules that runs without one.
  const context: JudgeContext = typing.confined === true ? given : { ...given, sandboxMode: 'danger-full-access' };
  const program = programOf(typing, context);
  const into = program && intoOf(program);
  const isShell = program === undefined || everySegment(program).some(mayBeShell);
  const text = `${typing.line ?? ''}${typing.text}`;
  const typed = typedLines(text).filter((line) => line.trim() !== '');
  if (typed.length > MOST_LINES || text.length > LONGEST_TEXT) return [tooMuch(context)];
  const lines = typed.length === 0 ? [''] : typed;
  // One line may change what another means: `cd` to another folder.
  const together = lines.length > 1 ? [lines.join('\n')] : [];
  return [
    ...lines.map((line) => asText(line, into, isShell, context)),
    ...[...lines, ...together].flatMap((line) => asCommand(line, typing, context, isShell)),
  ];
}

const MOST_LINES = 500;
const LONGEST_TEXT = 64 * 1024;

/** More than anybody would look through. */
function tooMuch({ rules }: JudgeContext): Part {
  const about = { kind: 'type', subject: 'a very long text' } as const;
  const reason = 'it is too long to be read, so it cannot be told whether a rule holds';
  return rules.isEmpty
    ? { ...about, decision: 'neutral' }
    : { ...about, decision: 'ask', prompted: true, reason, rule: { name: 'unclear-typing' } };
}

function programOf({ program, cwd = ROOT }: Typing, { reader, home }: JudgeContext): Segment | undefined {
  return program && reader.readArgv(program, { cwd, home });
}

function intoOf(program: Segment): TypedInto {
  const every = everySegment(program).map(({ words }) => words);
  const sole = soleLeaf(program);
  return { every, ...(sole && { sole: sole.words }) };
}

/** The one command that a line of wrappers comes down to, if it is just one and surely so. */
function soleLeaf(segment: Segment): Segment | undefined {
  const { runs } = segment;
  if (runs === undefined) return segment;
  const [only, ...others] = runs.reading.segments;
  const isSure = runs.plainly && others.length === 0 && runs.reading.unclear.length === 0;
  return isSure && only ? soleLeaf(only) : undefined;
}

/** Keys that edit a line, or complete it, make another one of it than is judged here. */
const EDITING = /\p{Cc}/u;
/** So does what a shell recalls from its history. */
const RECALLING = /!|^\s*\^/;

function asText(line: string, into: TypedInto | undefined, isShell: boolean, { rules }: JudgeContext): Part {
  const about = { kind: 'type', subject: line } as const;
  const rule = strictest(rules.typed(line, into));
  if (rule && restricts(rule)) return { ...about, ...saidBy(rule) };
  if (EDITING.test(line) && rules.restrictsTyping(into)) return { ...about, ...EDITED };
  // Whatever program a rule is about may have been started from a shell by now.
  const perhaps = isShell ? rules.typed(line, undefined).find(restricts) : undefined;
  if (perhaps) return { ...about, ...perhapsSaidBy(perhaps) };
  return rule ? { ...about, ...saidBy(rule) } : { ...about, decision: 'neutral' };
}

const EDITED = {
  decision: 'ask',
  prompted: true,
  reason: 'it is typed with keys that edit the line, so it cannot be told whether a rule holds',
  rule: { name: 'unclear-typing' },
} as const;

/** What restricts the commands in a line also restricts typing it. Nothing is allowed this way: who knows what reads it. */
function asCommand(line: string, { cwd = ROOT }: Typing, context: JudgeContext, isShell: boolean): readonly Part[] {
  const reading = context.reader.readText(line, { cwd, home: context.home });
  const parts = judgeReading(reading, context, true).filter(isRestricted);
  if (!isShell) return parts.filter(({ kind }) => kind !== 'unclear');
  const { restrictsCommands, restrictsPaths, restrictsHosts } = context.rules;
  const isEdited = EDITING.test(line) || RECALLING.test(line);
  const edited = isEdited && parts.length === 0 && (restrictsCommands || restrictsPaths || restrictsHosts);
  return edited ? [{ kind: 'type', subject: line, ...EDITED }] : parts;
}

/** Whether lines typed into it may be commands. */
function mayBeShell({ words: [name, ...args], runs }: Segment): boolean {
  if (!isExact(name)) return true;
  const isShell = shellKind(name) !== undefined;
  // A shell with a script of its own reads no further commands.
  return (
    (isShell && (runs === undefined || runs.reading.segments.length === 0)) || isCarrier(path.basename(name), args)
  );
}
