/** What the tools have in common that take a program with its arguments, without a shell in between. */
import { array, describe, string } from 'zod/mini';

import type { Intent } from '../core/effects.js';
import { ToolFailure } from '../core/errors.js';
import type { ToolOutput } from '../core/output.js';
import type { Presentation, RunScope, Tool } from '../core/tool.js';
import type { Workspace } from '../core/workspace.js';
import { commandLine } from '../shell/command-line.js';
import { structuredOutput } from './command-output.js';
import { execIntent, folderOf, timeoutOf } from './command-request.js';
import type { Escalation } from './command-request.js';
import { runToEnd } from './run-to-end.js';
import { takingPatches } from './taking-patches.js';
import type { CommandOrPatch } from './taking-patches.js';

export type ProgramRequest = Escalation & {
  readonly command: readonly string[];
  readonly workdir?: string | undefined;
  readonly timeout_ms?: number | undefined;
};

export const programParameters = () => ({
  command: array(string()).check(
    describe('The program and its arguments. For shell syntax, give ["bash", "-lc", "<script>"].'),
  ),
});

/** They take patches as well: as the program's argument, or in the script of a shell. */
export function programTakingPatches<Request extends ProgramRequest>(
  name: string,
  tool: Tool<Request>,
): Tool<CommandOrPatch<Request>> {
  return takingPatches(tool, {
    lineOf: ({ command }) => command,
    folderOf,
    answer: (run) => structuredOutput(run, name),
  });
}

/** The part of a definition that is the same for each of them. */
export function programCall(name: string) {
  return {
    name,
    description:
      'Runs a program and returns its exit code and output when it has ended. It gets no input and no terminal.',
    concurrency: 'shared',
    advice:
      `Run programs with ${name}; what needs a shell (pipes, \`&&\`, \`*\`) goes through one. Name the folder in workdir ` +
      'instead of using `cd`, and give a long command a larger timeout_ms.',
    abortText: 'wall-time',
    intent(request: ProgramRequest, workspace: Workspace): Intent {
      const { command } = request;
      if (command.length === 0 || command[0] === '') throw new ToolFailure('command args are empty');
      return execIntent(command, folderOf(request, workspace), request);
    },
    present: ({ command }: ProgramRequest): Presentation => ({ title: 'Run a command', command: commandLine(command) }),
    async run(request: ProgramRequest, scope: RunScope): Promise<ToolOutput> {
      const cwd = folderOf(request, scope.workspace);
      const run = await runToEnd({ argv: request.command, cwd, timeoutMs: timeoutOf(request) }, scope);
      return structuredOutput(run, name);
    },
  } as const;
}
