/** Where steps stand in a program, for what has to come before what. */
import type { Program, Step } from '../../src/sandbox/runner/program.js';
import { decodeProgram } from './decode-program.js';
import { printStep } from './print-program.js';

export type StepOrder = {
  /** The place of the first step whose line begins with this, and of the last one; throws when there is none. */
  first(text: string): number;
  last(text: string): number;
  readonly lines: readonly string[];
};

export function stepOrder(program: Program): StepOrder {
  const { data } = decodeProgram(program.bytes);
  const lines = program.steps.map((step: Step) => printStep(step, data));
  const found = (place: number, text: string): number => {
    if (place < 0) throw new Error(`there is no step ${text}`);
    return place;
  };
  return {
    lines,
    first: (text) =>
      found(
        lines.findIndex((line) => line.includes(text)),
        text,
      ),
    last: (text) =>
      found(
        lines.findLastIndex((line) => line.includes(text)),
        text,
      ),
  };
}

/** Whether these steps come one after the other, all of each before the first of the next. */
export function comesInOrder(program: Program, texts: readonly string[]): boolean {
  const order = stepOrder(program);
  return texts.every((text, index) => {
    const next = texts[index + 1];
    return next === undefined || order.last(text) < order.first(next);
  });
}
