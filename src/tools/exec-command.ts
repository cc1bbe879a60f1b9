/** Runs a script in a shell. What is still running when the answer is due goes on as a session. */
import { boolean, describe, number, object, optional, string } from 'zod/mini';
import type { z } from 'zod/mini';

import { defineTool } from '../core/define-tool.js';
import type { ToolOutput } from '../core/output.js';
import type { RunScope } from '../core/tool.js';
import type { Workspace } from '../core/workspace.js';
import {
  escalationParameters,
  execIntent,
  folderOf,
  offeredFor,
  outputParameters,
  repairEscalation,
  whereParameters,
} from './command-request.js';
import { takingPatches } from './taking-patches.js';
import { crowdNotes, sessionAnswer, yieldTime } from './session-answer.js';

const NAME = 'exec_command';
const DEFAULT_YIELD_MS = 10_000;

const input = () =>
  object({
    cmd: string().check(describe('Shell command to run.')),
    ...whereParameters(),
    shell: optional(string().check(describe("Shell to run it with. Default: the user's."))),
    login: optional(boolean().check(describe('Run it as a login shell. Default true.'))),
    tty: optional(
      boolean().check(describe('Give it a terminal and keep its input open. Default false: no terminal, no input.')),
    ),
    yield_time_ms: optional(
      number().check(
        describe(`Answer after this many milliseconds even if it still runs. Default ${DEFAULT_YIELD_MS}.`),
      ),
    ),
    ...outputParameters(),
    ...escalationParameters(),
  });

type ExecInput = z.infer<ReturnType<typeof input>>;

const plainly = defineTool({
  name: NAME,
  description:
    'Runs a shell command. Answers with its output and exit code, or, when it takes longer than yield_time_ms, with ' +
    'what it printed so far and a session ID under which it goes on.',
  input,
  concurrency: 'shared',
  aliases: ['unified_exec'],
  example: '{"cmd": "git status --short"}',
  advice:
    `Run commands with ${NAME}. Name the folder in workdir instead of using \`cd\`. Give a long command a ` +
    'yield_time_ms in which it can end, and a program that asks questions a tty.',
  parameterAliases: { command: 'cmd', cwd: 'workdir' },
  repair: repairEscalation,
  offer: offeredFor('unified_exec'),
  intent: (request, workspace) => execIntent(argvFor(request, workspace), folderOf(request, workspace), request),
  present: ({ cmd }) => ({ title: 'Run a command', command: cmd }),
  abortText: 'wall-time',
  run: runCommand,
});

export const execCommand = takingPatches(plainly, {
  lineOf: ({ cmd }) => cmd,
  folderOf,
  answer: ({ output, exit, seconds }, { max_output_tokens: maxTokens }, scope) =>
    sessionAnswer(undefined, { output, exit }, scope, { tool: NAME, started: scope.now() - seconds * 1000, maxTokens }),
});

async function runCommand(request: ExecInput, scope: RunScope): Promise<ToolOutput> {
  const { workspace, signal, callId } = scope;
  const started = scope.now();
  const session = await scope.sessions.start(
    {
      callId,
      argv: argvFor(request, workspace),
      cwd: folderOf(request, workspace),
      tty: request.tty ?? false,
      confined: scope.confined,
      noInputText: `stdin is closed for this session; rerun ${NAME} with tty=true to keep stdin open`,
    },
    workspace,
    signal,
  );
  try {
    const collected = await session.collect({ ms: yieldTime(request.yield_time_ms ?? DEFAULT_YIELD_MS), signal });
    const notes = collected.exit ? [] : crowdNotes(scope.sessions);
    return sessionAnswer(session.info, collected, scope, {
      tool: NAME,
      started,
      maxTokens: request.max_output_tokens,
      notes: session.notice === undefined ? notes : [session.notice, ...notes],
    });
  } catch (error) {
    // Nobody has heard of it yet, so nobody could end it later.
    await session.end();
    throw error;
  }
}

function argvFor({ cmd, shell, login }: ExecInput, workspace: Workspace): readonly string[] {
  return workspace.shellCommand(cmd, { shell, login });
}
