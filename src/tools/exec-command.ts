/** Runs a shell command to its end and shows what it printed. */
import { boolean, describe, enum as oneOf, int, maximum, minimum, object, optional, string } from 'zod/mini';
import type { z } from 'zod/mini';

import { defineTool } from '../core/define-tool.js';
import { ToolFailure } from '../core/errors.js';
import { tokensIn } from '../core/output.js';
import type { ToolOutput } from '../core/output.js';
import { resolvePath } from '../core/paths.js';
import type { AbsolutePath } from '../core/paths.js';
import type { RunScope } from '../core/tool.js';
import type { Exit, Workspace } from '../core/workspace.js';

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 3_600_000;
const TIMED_OUT_CODE = 124;

const input = object({
  cmd: string().check(describe('Shell command to run.')),
  workdir: optional(string().check(describe('Folder to run it in. Default: the workspace.'))),
  shell: optional(string().check(describe("Shell to run it with. Default: the user's."))),
  login: optional(boolean().check(describe('Run it as a login shell. Default true.'))),
  timeout_ms: optional(
    int().check(
      minimum(1),
      maximum(MAX_TIMEOUT_MS),
      describe(`Stop it after this many milliseconds. Default ${DEFAULT_TIMEOUT_MS}.`),
    ),
  ),
  max_output_tokens: optional(int().check(minimum(0), describe('Show at most about this many tokens of its output.'))),
  sandbox_permissions: optional(
    oneOf(['use_default', 'require_escalated']).check(
      describe('require_escalated asks the user to let it run outside of the sandbox.'),
    ),
  ),
  justification: optional(string().check(describe('With require_escalated: why, as a short question to the user.'))),
});

type ExecInput = z.infer<typeof input>;

export const execCommand = defineTool({
  name: 'exec_command',
  description:
    'Runs a shell command and returns its exit code and output. It gets no input and no terminal. ' +
    'Commands that take long need a larger timeout_ms.',
  input,
  concurrency: 'shared',
  aliases: ['unified_exec', 'local_shell'],
  example: '{"cmd": "git status --short"}',
  parameterAliases: { command: 'cmd', timeout: 'timeout_ms' },
  repair: ({ with_escalated_permissions: escalated, ...raw }) =>
    escalated === true ? { sandbox_permissions: 'require_escalated', ...raw } : raw,
  fromLocalShell: ({ argv, cwd, timeoutMs }) => ({
    cmd: argv.map(quote).join(' '),
    login: false,
    ...(cwd !== undefined && { workdir: cwd }),
    ...(timeoutMs !== undefined && { timeout_ms: timeoutMs }),
  }),
  offer: ({ shellType }) =>
    shellType === 'disabled' ? 'off' : shellType === 'unified_exec' ? 'advertised' : 'callable',
  intent: (request, workspace) => ({
    effects: [{ kind: 'exec', argv: argvOf(request, workspace), cwd: folderOf(request, workspace) }],
    ...(request.sandbox_permissions === 'require_escalated' && {
      escalate: { reason: request.justification ?? 'the model gave no reason' },
    }),
  }),
  present: ({ cmd }) => ({ title: 'Run a command', command: cmd }),
  abortText: 'wall-time',
  run: runCommand,
});

async function runCommand(request: ExecInput, scope: RunScope): Promise<ToolOutput> {
  const { workspace, signal } = scope;
  const capture = scope.capture();
  const started = scope.now();
  const process = await workspace.spawn({
    argv: argvOf(request, workspace),
    cwd: folderOf(request, workspace),
    timeoutMs: request.timeout_ms ?? DEFAULT_TIMEOUT_MS,
    signal,
    onOutput: (chunk, stream) => capture.write(chunk, stream),
  });
  const exit = await process.exit;
  signal.throwIfAborted();
  const seconds = (scope.now() - started) / 1000;
  const code = exitCode(exit);
  const header = [
    `Chunk ID: ${scope.randomHex(6)}`,
    `Wall time: ${seconds.toFixed(4)} seconds`,
    `Process exited with code ${code}`,
    `Original token count: ${tokensIn(capture.bytes)}`,
    'Output:',
    ...(exit.kind === 'timed_out' ? [`command timed out after ${exit.ms} milliseconds`] : []),
    '',
  ];
  return {
    content: [
      { kind: 'text', text: header.join('\n') },
      {
        kind: 'capture',
        capture,
        ...(request.max_output_tokens !== undefined && { maxTokens: request.max_output_tokens }),
      },
    ],
    success: code === 0,
    details: { exit, seconds },
  };
}

/** A signal shows as a shell would show it; what never started is the model's to mend. */
function exitCode(exit: Exit): number {
  switch (exit.kind) {
    case 'exited':
      return exit.code;
    case 'signalled':
      return 128 + exit.number;
    case 'timed_out':
      return TIMED_OUT_CODE;
    case 'aborted':
    case 'not_started':
      throw new ToolFailure(`exec_command failed: ${exit.kind === 'aborted' ? 'it was stopped' : exit.reason}`);
  }
}

function argvOf({ cmd, shell, login }: ExecInput, workspace: Workspace): readonly string[] {
  return workspace.shellCommand(cmd, { login: login ?? true, ...(shell !== undefined && { shell }) });
}

function folderOf({ workdir }: ExecInput, workspace: Workspace): AbsolutePath {
  return workdir === undefined || workdir === '' ? workspace.cwd : resolvePath(workspace.cwd, workdir);
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
