/** The two texts in which models know a command that has ended: JSON for argv tools, lines for the others. */
import { plainRendering, withNote } from '../core/output.js';
import type { ShownOutput, ToolOutput } from '../core/output.js';
import { exitCodeOf } from './run-to-end.js';
import type { Run } from './run-to-end.js';

type Ended = Run & { readonly code: number };

export function structuredOutput(run: Run, tool: string): ToolOutput {
  return outputOf(run, tool, (shown, ended) => {
    const text = JSON.stringify(timeoutLine(ended) + plainRendering(shown));
    // A whole number of seconds is written with its decimal, which JSON.stringify would drop.
    return `{"output":${text},"metadata":{"exit_code":${ended.code},"duration_seconds":${ended.seconds.toFixed(1)}}}`;
  });
}

export function freeformOutput(run: Run, tool: string): ToolOutput {
  return outputOf(run, tool, (shown, ended) =>
    [
      `Exit code: ${ended.code}`,
      `Wall time: ${Number(ended.seconds.toFixed(1))} seconds`,
      ...extentLines(shown),
      'Output:',
      timeoutLine(ended) + withNote(shown),
    ].join('\n'),
  );
}

function outputOf(run: Run, tool: string, render: (shown: ShownOutput, ended: Ended) => string): ToolOutput {
  const { exit, output, seconds } = run;
  const code = exitCodeOf(exit, tool);
  return {
    content: [{ kind: 'capture', capture: output, render: (shown) => render(shown, { ...run, code }) }],
    success: code === 0,
    details: { exit, seconds },
  };
}

function timeoutLine({ exit }: Run): string {
  return exit.kind === 'timed_out' ? `command timed out after ${exit.ms} milliseconds\n` : '';
}

/** Told only when the lines that are shown are not all of them. */
function extentLines({ cut }: ShownOutput): readonly string[] {
  if (cut?.totalLines === undefined || cut.totalLines === cut.shownLines) return [];
  return [`Total output lines: ${cut.totalLines}`];
}
