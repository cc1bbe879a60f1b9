/** A program for the runner as text: one line for each step, with what its pointers lead to. */
import type { Argument, Program, Step } from '../../src/sandbox/runner/program.js';
import { decodeProgram, textAt, textsAt } from './decode-program.js';

export function printProgram(program: Program): string {
  const { data } = decodeProgram(program.bytes);
  return `${shortened(program.steps.map((step) => printStep(step, data))).join('\n')}\n`;
}

export function printStep(step: Step, data: Buffer): string {
  const { what, call, arguments: args, into, mayFail, store } = step;
  if (call === 'fork') return `${what}: fork(${forkWords(args).join(', ')})`;
  const given = args.map((argument, index) => printArgument(argument, SHAPES[call]?.[index], { step, data }));
  const kept = into === undefined ? '' : `$${into.register} = `;
  const notes = [...(mayFail ? ['may fail'] : []), ...(store ? ['stored'] : [])];
  return `${what}: ${kept}${call}(${given.join(', ')})${notes.length > 0 ? ` [${notes.join(', ')}]` : ''}`;
}

/** Where the table of what is watched lies is nobody's business. */
function forkWords([watch, tells, closeFrom, endsAll]: readonly Argument[]): readonly string[] {
  return [
    ...(watch === 0 ? [] : ['watches']),
    ...(tells === 0 ? [] : ['tells']),
    ...(closeFrom === 0 ? [] : [`closes from ${Number(closeFrom)}`]),
    ...(endsAll === 0 ? [] : ['ends all']),
  ];
}

/** How what a pointer leads to is to be read; a number is how many words of 8 bytes it is. */
type Shape = 'text' | 'texts' | 'counted' | 'filter' | 'message' | number;

/** By call and argument. What is not in here is shown as a pointer only. */
const SHAPES: Readonly<Record<string, Readonly<Record<number, Shape>> | undefined>> = {
  mount: { 0: 'text', 1: 'text', 2: 'text', 4: 'text' },
  openat: { 1: 'text' },
  openat2: { 1: 'text', 2: 3 },
  open_tree: { 1: 'text' },
  mount_setattr: { 1: 'text', 3: 4 },
  move_mount: { 1: 'text', 3: 'text' },
  mknodat: { 1: 'text' },
  mkdirat: { 1: 'text' },
  symlinkat: { 0: 'text', 2: 'text' },
  chroot: { 0: 'text' },
  chdir: { 0: 'text' },
  write: { 1: 'counted' },
  execve: { 0: 'text', 1: 'texts', 2: 'texts' },
  prlimit64: { 2: 2 },
  capset: { 0: 1, 1: 3 },
  landlock_create_ruleset: { 0: 3 },
  landlock_add_rule: { 2: 2 },
  bind: { 1: 2 },
  ioctl: { 2: 'text' },
  seccomp: { 2: 'filter' },
  sendmsg: { 1: 'message' },
};

type Around = { readonly step: Step; readonly data: Buffer };

function printArgument(argument: Argument, shape: Shape | undefined, around: Around): string {
  if (typeof argument !== 'object') return printNumber(BigInt(argument));
  if (argument.kind === 'result') return `$${argument.register}`;
  return shape === undefined ? '&' : printPointed(argument.offset, shape, around);
}

function printPointed(offset: number, shape: Shape, { step, data }: Around): string {
  switch (shape) {
    case 'text':
      return JSON.stringify(textAt(data, offset));
    case 'texts':
      return JSON.stringify(textsAt(data, offset));
    case 'counted':
      return JSON.stringify(data.toString('utf8', offset, offset + Number(step.arguments[2])));
    case 'filter':
      // What it refuses is the business of its own tests.
      return 'a filter';
    case 'message':
      return printMessage(offset, data);
    default:
      return `[${words(data, offset, shape).map(printNumber).join(', ')}]`;
  }
}

/** The first vector of a message; what else it carries is a descriptor. */
function printMessage(offset: number, data: Buffer): string {
  const [vector = 0n] = words(data, offset + 16, 1);
  const [text = 0n, length = 0n] = words(data, Number(vector), 2);
  return `${data.toString('utf8', Number(text), Number(text + length)).trim()} and a descriptor`;
}

function words(data: Buffer, offset: number, count: number): readonly bigint[] {
  return Array.from({ length: count }, (_, index) => data.readBigUInt64LE(offset + index * 8));
}

function printNumber(value: bigint): string {
  return value >= 1024n ? `0x${value.toString(16)}` : String(value);
}

/** The first of many that are alike is enough. */
function shortened(lines: readonly string[]): readonly string[] {
  const begins = (line: string): string => line.split('(', 1)[0] ?? '';
  const runs: string[][] = [];
  for (const line of lines) {
    const last = runs.at(-1);
    if (last?.[0] !== undefined && begins(last[0]) === begins(line)) last.push(line);
    else runs.push([line]);
  }
  return runs.flatMap((run) => (run.length < MANY ? run : [run[0] ?? '', `… and ${run.length - 1} more of these`]));
}

const MANY = 8;
