/** Runs a program with its arguments as they are, without a shell in between. */
import { array, describe, object, string } from 'zod/mini';

import { defineTool } from '../core/define-tool.js';
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
import { structuredOutput } from './command-output.js';
import { argvOf, commandLine } from './argument-list.js';
import { runToEnd } from './run-to-end.js';

const NAME = 'shell';

const input = object({
  command: array(string()).check(
    describe('The program and its arguments. For shell syntax, give ["bash", "-lc", "<script>"].'),
  ),
  ...whereParameters,
  ...timeoutParameters,
  ...escalationParameters,
});

export const shell = defineTool({
  name: NAME,
  description:
    'Runs a program and returns its exit code and output when it has ended. It gets no input and no terminal.',
  input,
  concurrency: 'shared',
  aliases: ['container.exec'],
  example: '{"command": ["git", "status", "--short"]}',
  parameterAliases: { timeout: 'timeout_ms', cmd: 'command', cwd: 'workdir' },
  repair: repairEscalation,
  fromLocalShell: ({ argv, cwd, timeoutMs }) => ({ command: argv, workdir: cwd, timeout_ms: timeoutMs }),
  offer: offeredFor(NAME),
  intent: (request, workspace) => execIntent(argvOf(request.command), folderOf(request, workspace), request),
  present: ({ command }) => ({ title: 'Run a command', command: commandLine(command) }),
  abortText: 'wall-time',
  async run(request, scope) {
    const { workspace } = scope;
    const run = { argv: request.command, cwd: folderOf(request, workspace), timeoutMs: timeoutOf(request) };
    return structuredOutput(await runToEnd(run, scope), NAME);
  },
});
