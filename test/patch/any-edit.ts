/** Arbitrary files and edits to them, the patch that tells of an edit, and what must come out. */
import fc from 'fast-check';

import type { Ending } from '../../src/patch/patch.js';

export type Line = { readonly text: string; readonly ending: Ending };
/** Lines that stay, or that go with others in their place. */
export type Step = { readonly keep: number } | { readonly drop: number; readonly add: readonly string[] };

/** Few words, so that lines repeat; some look like parts of a patch. */
const text = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', '}', '', '  x', 'x', 'x ', 'ä', '“x”', '\tif (a) {') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('+a', '-a', '--- a', '+++ b', '@@ a', '*** End Patch', '\\ No', 'diff --git a/x b/x'),
  },
  { weight: 3, arbitrary: fc.stringMatching(/^[a-z ]{1,12}$/) },
);
const ending = fc.constantFrom<Ending>('\n', '\r\n');

export const anyTexts = fc.array(text, { maxLength: 30 });

/** A file with one kind of ending, or a mixture. */
export const anyLines: fc.Arbitrary<readonly Line[]> = fc.oneof(
  fc.tuple(anyTexts, ending).map(([texts, same]) => texts.map((each) => ({ text: each, ending: same }))),
  fc.array(fc.record({ text, ending }), { maxLength: 30 }),
);

export const anySteps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(fc.record({ keep: fc.nat(6) }), fc.record({ drop: fc.nat(3), add: fc.array(text, { maxLength: 3 }) })),
  { maxLength: 8 },
);

/** Without a newline, the last line ends as the line before it does: that is all there is to go by. */
export function asRead(lines: readonly Line[], finalNewline: boolean): readonly Line[] {
  const last = lines.at(-1);
  if (finalNewline || last === undefined) return lines;
  return [...lines.slice(0, -1), { text: last.text, ending: lines.at(-2)?.ending ?? '\n' }];
}

export function fileOf(lines: readonly Line[], mark: boolean, finalNewline: boolean): Buffer {
  const all = lines.map((line) => line.text + line.ending).join('');
  const ended = finalNewline ? all : all.replace(/\r?\n$/, '');
  return Buffer.from((mark && ended !== '' ? '\ufeff' : '') + ended);
}

/** The lines after the edit. Added ones end like the line whose place they take, else like the one before, else after. */
export function edited(lines: readonly Line[], steps: readonly Step[]): readonly Line[] {
  const result: Line[] = [];
  let at = 0;
  for (const run of runsOf(lines.length, steps)) {
    result.push(...lines.slice(at, run.start));
    let last = lines[run.start - 1]?.ending ?? lines[0]?.ending ?? '\n';
    for (const [index, each] of run.add.entries()) {
      if (run.start + index < run.end) last = lines[run.start + index]?.ending ?? last;
      result.push({ text: each, ending: last });
    }
    at = run.end;
  }
  return [...result, ...lines.slice(at)];
}

/** One hunk with all lines of the file: nothing has more context. */
export function wholeHunk(lines: readonly Line[], steps: readonly Step[]): readonly string[] {
  const hunk: string[] = [];
  let at = 0;
  for (const run of runsOf(lines.length, steps)) {
    hunk.push(...lines.slice(at, run.start).map((line) => ` ${line.text}`));
    hunk.push(...lines.slice(run.start, run.end).map((line) => `-${line.text}`), ...run.add.map((each) => `+${each}`));
    at = run.end;
  }
  return [...hunk, ...lines.slice(at).map((line) => ` ${line.text}`)];
}

export type Run = { readonly start: number; readonly end: number; readonly add: readonly string[] };

/** Where the steps change something; changes that touch are one. */
export function runsOf(length: number, steps: readonly Step[]): readonly Run[] {
  const runs: Run[] = [];
  let at = 0;
  for (const step of steps) {
    if ('keep' in step) {
      at = Math.min(length, at + step.keep);
      continue;
    }
    const last = runs.at(-1);
    const joins = last !== undefined && last.end === at;
    const end = Math.min(length, at + step.drop);
    if (joins) runs.pop();
    runs.push(joins ? { start: last.start, end, add: [...last.add, ...step.add] } : { start: at, end, add: step.add });
    at = end;
  }
  return runs.filter((run) => run.end > run.start || run.add.length > 0);
}
