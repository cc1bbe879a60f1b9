/** What is said to text that would be typed into a running program: each line may be a command. */
import path from 'node:path';

import type { Effect } from '../core/effects.js';
import { isExact } from '../shell/reading.js';
import type { Segment } from '../shell/reading.js';
import { shellKind } from '../shell/shells.js';
import { CARRIERS } from '../shell/wrappers.js';
import type { JudgeContext, Part } from './context.js';
import { judgeReading } from './judge-command.js';
import { withRule } from './judge-host.js';
import { strictest } from './rule-words.js';

type Typing = Extract<Effect, { kind: 'type' }>;

/** Lines are judged whole, with what was typed of them before. */
export function judgeTyping(typing: Typing, context: JudgeContext): readonly Part[] {
  const lines = linesOf(typing);
  return lines.flatMap((line) => {
    const about: Part = { kind: 'type', subject: line, decision: 'neutral' };
    const own = withRule(about, strictest(context.rules.typed(line, typing.program)));
    return [own, ...asCommand(line, typing, context)];
  });
}

const INTERRUPT_OR_END = /[\u0003\u0004]/g;

function linesOf({ line = '', text }: Typing): readonly string[] {
  const lines = `${line}${text}`.replaceAll(INTERRUPT_OR_END, '\n').split(/[\r\n]+/);
  const typed = lines.filter((each) => each.trim() !== '');
  return typed.length === 0 ? [''] : typed;
}

/** What restricts the commands in a line also restricts typing it. Nothing is allowed this way: who knows what reads it. */
function asCommand(line: string, typing: Typing, context: JudgeContext): readonly Part[] {
  const [cwd = '/'] = context.writableRoots;
  const reading = context.reader.readText(line, { cwd, home: context.home });
  // Where the shell stands by now is not known.
  const somewhere = { ...reading, segments: reading.segments.map(withoutFolder) };
  const parts = judgeReading(somewhere, context, true).filter(({ decision }) => decision === 'ask' || decision === 'deny');
  return mayBeShell(typing, context) ? parts : parts.filter(({ kind }) => kind !== 'unclear');
}

function withoutFolder(segment: Segment): Segment {
  return { ...segment, folders: undefined };
}

/** Whether the program, or one that it started, may be a shell. */
function mayBeShell({ program }: Typing, { reader, home }: JudgeContext): boolean {
  if (program === undefined) return true;
  return leavesOf(reader.readArgv(program, { cwd: '/', home })).some(({ words: [name] }) => {
    return !isExact(name) || shellKind(name) !== undefined || CARRIERS.has(path.basename(name));
  });
}

function leavesOf(segment: Segment): readonly Segment[] {
  const inside = segment.runs?.reading.segments ?? [];
  return inside.length === 0 ? [segment] : inside.flatMap(leavesOf);
}
