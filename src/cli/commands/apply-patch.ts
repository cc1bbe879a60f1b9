/** `tenon apply-patch`: a patch on its own, for people, for scripts and for the commands of a model. */
import { applyPatch, createRuntime } from '../../index.js';
import type { CallResult } from '../../index.js';
import { EXIT, exitCodeOf } from '../exit-codes.js';
import { readStandardInput } from '../standard-input.js';
import { UsageError } from '../usage-error.js';
import { workspaceFolder } from '../workspace-folder.js';

export type ApplyPatchFlags = { readonly cd?: string };

export async function applyPatchHere(patch: string | undefined, flags: ApplyPatchFlags): Promise<number> {
  const cwd = workspaceFolder(flags.cd);
  const input = await patchText(patch);
  const runtime = createRuntime({
    cwd,
    sandboxMode: 'danger-full-access',
    approvalPolicy: 'never',
    // Inside of a sandbox, whoever confined us keeps the record; ours is out of reach.
    keepChanges: process.env['TENON_SANDBOX'] === undefined,
  });
  try {
    const result = await runtime.runCall({ name: applyPatch.spec.name, payload: { kind: 'custom', input } });
    print(result);
    return result.outcome.kind === 'failed' ? EXIT.failed : exitCodeOf(result);
  } finally {
    await runtime.close();
  }
}

async function patchText(patch: string | undefined): Promise<string> {
  if (patch === undefined && process.stdin.isTTY) {
    throw new UsageError('there is no patch: give one as an argument or on standard input');
  }
  const text = patch === undefined || patch === '-' ? await readStandardInput() : patch;
  if (text.trim() === '') throw new UsageError('the patch is empty');
  return text;
}

function print({ outcome }: CallResult): void {
  if (outcome.kind === 'completed') {
    const { success = true, details } = outcome.output;
    (success ? process.stdout : process.stderr).write(String(details?.['text']));
    return;
  }
  const message = 'message' in outcome ? outcome.message : 'reason' in outcome ? outcome.reason : 'it was cancelled';
  process.stderr.write(`${asOfProgram(message)}\n`);
}

/** Models know the program by other words than the tool. */
function asOfProgram(message: string): string {
  const plain = message.replace(/^\w+ verification failed: /, '');
  return plain
    .replace(/^invalid patch: /, 'Invalid patch: ')
    .replace(/^invalid hunk at line (\d+), /, 'Invalid patch hunk on line $1: ');
}
