/** What a model reads once its command's changes were to be made for real: its output, or why they were not made. */
import { ToolFailure } from '../core/errors.js';
import type { ToolOutput } from '../core/output.js';
import type { CommitResult, Failure } from '../core/staging.js';

export function afterCommit(result: CommitResult, output: ToolOutput): ToolOutput {
  switch (result.kind) {
    case 'committed':
      return result.leftover === undefined ? output : withNote(output, leftoverText(result.leftover));
    case 'refused':
      throw new ToolFailure(`${NOT_MADE}. Nothing was changed there.${lines(result.refused)}`);
    case 'rolled-back': {
      const { failed, leftover } = result;
      const left = leftover === undefined ? '' : `\n${leftoverText(leftover)}`;
      throw new ToolFailure(`${NOT_MADE}. The workspace is as it was before.${lines([failed])}${left}`);
    }
    case 'broken': {
      const { failed, notRestored, originals } = result;
      throw new ToolFailure(
        `${NOT_MADE}, and not all could be put back. What stood there is in ${originals}; put it back before you go ` +
          `on.${lines([failed, ...notRestored])}`,
      );
    }
  }
}

const NOT_MADE =
  'the command ran on a copy of the workspace, but its changes could not be made in the workspace itself';

function lines(failures: readonly Failure[]): string {
  return failures.map(({ path, reason }) => `\n- ${path}: ${reason}`).join('');
}

function leftoverText(folder: string): string {
  return `Note: the folder ${folder} was left behind and can be removed; it holds the files as they were before.`;
}

function withNote(output: ToolOutput, note: string): ToolOutput {
  return { ...output, content: [...output.content, { kind: 'text', text: `\n${note}` }] };
}
