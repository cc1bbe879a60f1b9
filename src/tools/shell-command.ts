/** Runs a script in the user's shell and answers when it has ended. */
import { boolean, describe, object, optional, string } from 'zod/mini';
import type { z } from 'zod/mini';

import { defineTool } from '../core/define-tool.js';
import type { Workspace } from '../core/workspace.js';
import { freeformOutput } from './command-output.js';
import {
  escalationParameters,
  execIntent,
  folderOf,
  offeredFor,
  repairEscalation,
  timeoutOf,
  timeoutParameters,
  whereParameters,
} from './command-request.js';
import { runToEnd } from './run-to-end.js';
import { takingPatches } from './taking-patches.js';

const NAME = 'shell_command';

const input = () =>
  object({
    command: string().check(describe("Script for the user's shell.")),
    login: optional(boolean().check(describe('Run it as a login shell. Default true.'))),
    ...whereParameters(),
    ...timeoutParameters(),
    ...escalationParameters(),
  });

const plainly = defineTool({
  name: NAME,
  description:
    'Runs a shell script and returns its exit code and output when it has ended. It gets no input and no terminal.',
  input,
  concurrency: 'shared',
  example: '{"command": "git status --short"}',
  advice:
    `Run commands with ${NAME}. Name the folder in workdir instead of using \`cd\`, and give a long command a larger ` +
    'timeout_ms.',
  parameterAliases: { timeout: 'timeout_ms', cmd: 'command', cwd: 'workdir' },
  repair: repairEscalation,
  offer: offeredFor(NAME),
  intent: (request, workspace) => execIntent(argvFor(request, workspace), folderOf(request, workspace), request),
  present: ({ command }) => ({ title: 'Run a command', command }),
  abortText: 'wall-time',
  async run(request, scope) {
    const { workspace } = scope;
    const argv = argvFor(request, workspace);
    const run = { argv, cwd: folderOf(request, workspace), timeoutMs: timeoutOf(request) };
    return freeformOutput(await runToEnd(run, scope), NAME);
  },
});

export const shellCommand = takingPatches(plainly, {
  lineOf: ({ command }) => command,
  folderOf,
  answer: (run) => freeformOutput(run, NAME),
});

function argvFor({ command, login }: z.infer<ReturnType<typeof input>>, workspace: Workspace): readonly string[] {
  return workspace.shellCommand(command, { login });
}
