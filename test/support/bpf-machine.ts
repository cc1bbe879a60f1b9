/**
 * The kernel's packet filter machine as far as seccomp uses it, with the checks that the kernel makes when a filter is
 * loaded. Written from the description of the machine and not from our compiler.
 */

export type Seen = {
  readonly number: number;
  readonly architecture: number;
  /** Up to six, of 64 bits. */
  readonly arguments?: readonly bigint[];
};

const LOAD = 0x20;
const AND = 0x54;
const GO = 0x05;
const EQUAL = 0x15;
const GREATER = 0x25;
const NOT_LESS = 0x35;
const ANY_BIT = 0x45;
const RETURN = 0x06;

const JUMPS: readonly number[] = [EQUAL, GREATER, NOT_LESS, ANY_BIT];

const DATA_BYTES = 64;

type Line = { readonly code: number; readonly hit: number; readonly miss: number; readonly value: number };

/** A function from a call to the answer; throws for a program that the kernel would not load. */
export function loadFilter(program: Uint8Array): (seen: Seen) => number {
  const lines = decode(program);
  if (lines.length === 0 || lines.length > 4096) throw new Error(`${lines.length} instructions`);
  for (const [at, line] of lines.entries()) checkLine(line, at, lines.length);
  if (lines.at(-1)?.code !== RETURN) throw new Error('the end can be passed');
  return (seen) => run(lines, dataOf(seen));
}

function decode(program: Uint8Array): readonly Line[] {
  if (program.length % 8 !== 0) throw new Error(`${program.length} bytes are not whole instructions`);
  const view = new DataView(program.buffer, program.byteOffset, program.byteLength);
  return Array.from({ length: program.length / 8 }, (_, index) => ({
    code: view.getUint16(index * 8, true),
    hit: view.getUint8(index * 8 + 2),
    miss: view.getUint8(index * 8 + 3),
    value: view.getUint32(index * 8 + 4, true),
  }));
}

function checkLine({ code, hit, miss, value }: Line, at: number, length: number): void {
  const farthest = code === GO ? value : JUMPS.includes(code) ? Math.max(hit, miss) : 0;
  if (at + 1 + farthest > length - 1 && code !== RETURN) throw new Error(`${at}: jumps over the end`);
  if (code === LOAD && (value % 4 !== 0 || value >= DATA_BYTES)) throw new Error(`${at}: loads from ${value}`);
  if (![...JUMPS, LOAD, AND, GO, RETURN].includes(code)) throw new Error(`${at}: no code ${code}`);
}

/** `struct seccomp_data` */
function dataOf({ number, architecture, arguments: given = [] }: Seen): DataView {
  const view = new DataView(new ArrayBuffer(DATA_BYTES));
  view.setUint32(0, number, true);
  view.setUint32(4, architecture, true);
  for (const [index, argument] of given.entries()) view.setBigUint64(16 + index * 8, argument, true);
  return view;
}

function run(lines: readonly Line[], data: DataView): number {
  let word = 0;
  for (let at = 0; ; at++) {
    const line = lines[at];
    if (line === undefined) throw new Error('passed the end');
    const { code, value } = line;
    if (code === RETURN) return value;
    if (code === LOAD) word = data.getUint32(value, true);
    else if (code === AND) word = (word & value) >>> 0;
    else if (code === GO) at += value;
    else at += holds(code, word, value) ? line.hit : line.miss;
  }
}

function holds(code: number, word: number, value: number): boolean {
  switch (code) {
    case EQUAL:
      return word === value;
    case GREATER:
      return word > value;
    case NOT_LESS:
      return word >= value;
    default:
      return (word & value) !== 0;
  }
}

/** One line for each instruction, with jumps as the line they lead to. */
export function disassemble(program: Uint8Array): string {
  const shown = decode(program).map(({ code, hit, miss, value }, at) => {
    const hex = `0x${value.toString(16)}`;
    if (code === LOAD) return `${at}: load ${DATA_NAMES[value / 4] ?? hex}`;
    if (code === AND) return `${at}: and ${hex}`;
    if (code === RETURN) return `${at}: return ${hex}`;
    return `${at}: ${COMPARISON_NAMES[code] ?? code} ${hex} ? ${at + 1 + hit} : ${at + 1 + miss}`;
  });
  return shown.join('\n');
}

const DATA_NAMES: readonly string[] = [
  'number',
  'architecture',
  'pointer low',
  'pointer high',
  ...[0, 1, 2, 3, 4, 5].flatMap((index) => [`argument ${index} low`, `argument ${index} high`]),
];

const COMPARISON_NAMES: Readonly<Record<number, string>> = {
  [EQUAL]: 'equal',
  [GREATER]: 'greater',
  [ANY_BIT]: 'any bit',
};
