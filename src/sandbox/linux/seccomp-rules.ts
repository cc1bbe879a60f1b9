/**
 * Rules about system calls, and how a list of them becomes a filter. The first rule that holds answers; each is a block
 * of its own that a call either leaves with an answer or passes, so no jump is longer than one rule.
 */
import { and, answer, encodeProgram, ifAnyBit, ifEqual, ifGreater, load } from './bpf.js';
import type { Instruction } from './bpf.js';
import { findSystemCall, NEWEST_SYSTEM_CALL, systemCall } from './system-calls.js';
import type { Architecture, SystemCall } from './system-calls.js';

export type Rule = {
  readonly call: SystemCall;
  /** All of them must hold. */
  readonly when?: readonly Test[];
  readonly action: number;
};

export type ArgumentIndex = 0 | 1 | 2 | 3 | 4 | 5;

/**
 * About one half of an argument. Where the kernel takes an `int` it drops the upper half, so a test that looked at it
 * could be led astray: the lower half is what counts.
 */
export type Test = {
  readonly argument: ArgumentIndex;
  readonly half?: 'low' | 'high';
} & ({ readonly mask?: number; readonly oneOf: AtLeastOne } | { readonly anyBitOf: number });

/** A choice of nothing would always hold. */
export type AtLeastOne = readonly [number, ...number[]];

export const ALLOW = 0x7fff_0000;
export const KILL_PROCESS = 0x8000_0000;
/** Whoever listens to the filter answers; without a listener the call fails with `ENOSYS`. */
export const NOTIFY = 0x7fc0_0000;
export const NOT_PERMITTED = refusal(1);
export const NOT_IMPLEMENTED = refusal(38);

function refusal(errno: number): number {
  return 0x0005_0000 + errno;
}

type FilterParts = {
  readonly architecture: Architecture;
  readonly rules: readonly Rule[];
  /** The answer to calls in the manner of another architecture. */
  readonly foreign: number;
  /** The answer to calls that are newer than the table. */
  readonly unknown: number;
};

export function compileRules({ architecture, rules, foreign, unknown }: FilterParts): Uint8Array {
  const newest = systemCall(NEWEST_SYSTEM_CALL, architecture);
  return encodeProgram([
    load(ARCHITECTURE_OFFSET),
    ifEqual({ value: ARCHITECTURE_MARKS[architecture], hit: 1, miss: 0 }),
    answer(foreign),
    load(NUMBER_OFFSET),
    ifGreater({ value: newest, hit: 0, miss: 1 }),
    answer(unknown),
    ...rules.flatMap((rule) => ruleBlock(rule, architecture)),
    answer(ALLOW),
  ]);
}

// In `struct seccomp_data`: the number, the architecture, the caller's address, six arguments of 8 bytes.
const NUMBER_OFFSET = 0;
const ARCHITECTURE_OFFSET = 4;
const ARGUMENTS_OFFSET = 16;

const ARCHITECTURE_MARKS: Readonly<Record<Architecture, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };

/** Finds the number of the call loaded, and leaves it so. */
function ruleBlock({ call, when = [], action }: Rule, architecture: Architecture): readonly Instruction[] {
  const number = findSystemCall(call, architecture);
  if (number === undefined) return [];
  const checked = when.reduceRight((rest, test) => testCode(test, rest.length).concat(rest), [answer(action)]);
  const block = [ifEqual({ value: number, hit: 0, miss: checked.length }), ...checked];
  return when.length > 0 ? [...block, load(NUMBER_OFFSET)] : block;
}

/** Goes on behind itself when the test holds, and else skips so many more instructions. */
function testCode(test: Test, skipped: number): Instruction[] {
  const word = load(ARGUMENTS_OFFSET + test.argument * 8 + (test.half === 'high' ? 4 : 0));
  if ('anyBitOf' in test) return [word, ifAnyBit({ value: test.anyBitOf, hit: 0, miss: skipped })];
  const last = test.oneOf.length - 1;
  const comparisons = test.oneOf.map((value, index) =>
    ifEqual({ value, hit: last - index, miss: index === last ? skipped : 0 }),
  );
  return [word, ...(test.mask === undefined ? [] : [and(test.mask)]), ...comparisons];
}
