/** The shell call that some models bring with them: a kind of item of its own, not a function. */
import { array, describe, object, string } from 'zod/mini';

import { defineTool } from '../core/define-tool.js';
import type { Tool } from '../core/tool.js';
import { argvOf, commandLine } from './argument-list.js';
import { structuredOutput } from './command-output.js';
import { execIntent, folderOf, offeredFor, timeoutOf, timeoutParameters, whereParameters } from './command-request.js';
import { runToEnd } from './run-to-end.js';

const NAME = 'local_shell';

const lowered = defineTool({
  name: NAME,
  description:
    'Runs a program and returns its exit code and output when it has ended. It gets no input and no terminal.',
  input: object({
    command: array(string()).check(describe('The program and its arguments.')),
    ...whereParameters,
    ...timeoutParameters,
  }),
  concurrency: 'shared',
  parameterAliases: { timeout: 'timeout_ms', working_directory: 'workdir' },
  fromLocalShell: ({ argv, cwd, timeoutMs }) => ({
    command: argv,
    ...(cwd !== undefined && { workdir: cwd }),
    ...(timeoutMs !== undefined && { timeout_ms: timeoutMs }),
  }),
  offer: offeredFor(NAME),
  intent: (request, workspace) => execIntent(argvOf(request.command), folderOf(request, workspace)),
  present: ({ command }) => ({ title: 'Run a command', command: commandLine(command) }),
  abortText: 'wall-time',
  async run(request, scope) {
    const { workspace } = scope;
    const run = { argv: request.command, cwd: folderOf(request, workspace), timeoutMs: timeoutOf(request) };
    return structuredOutput(await runToEnd(run, scope), NAME);
  },
});

export const localShell: typeof lowered = { ...lowered, spec: hosted(lowered.spec) };

/** Servers that know it are told only that it is there; the others get it as a function. */
function hosted(spec: Tool['spec']): Tool['spec'] {
  if (spec.kind !== 'function') return spec;
  const { kind: _, name, ...rest } = spec;
  return { kind: 'hosted', name, lowered: rest };
}
