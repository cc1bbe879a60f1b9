/** Types into a session, or listens to it. */
import { describe, int, number, object, optional, string } from 'zod/mini';
import type { z } from 'zod/mini';

import { defineTool } from '../core/define-tool.js';
import { ToolFailure } from '../core/errors.js';
import { sessionId } from '../core/ids.js';
import type { ToolOutput } from '../core/output.js';
import type { Session, SessionInfo } from '../core/sessions.js';
import type { RunScope } from '../core/tool.js';
import { commandLine } from '../shell/command-line.js';
import { offeredFor, outputParameters } from './command-request.js';
import { sessionAnswer, yieldTime } from './session-answer.js';

const NAME = 'write_stdin';
const DEFAULT_YIELD_MS = 250;
/** Listening without typing is for programs that take their time. */
const SHORTEST_POLL_MS = 5_000;
const LONGEST_POLL_MS = 300_000;

const input = () =>
  object({
    session_id: int().check(describe('ID of the running session.')),
    chars: optional(
      string().check(
        describe(
          'Text to type; end a line with \\n. "\\u0003" interrupts. Empty or absent: only wait for more output.',
        ),
      ),
    ),
    yield_time_ms: optional(
      number().check(describe('Wait this many milliseconds for output. Waiting alone takes 5000 or more.')),
    ),
    ...outputParameters(),
  });

type WriteInput = z.infer<ReturnType<typeof input>>;

export const writeStdin = defineTool({
  name: NAME,
  description:
    'Types into a running session and answers with what it printed since the last answer. Without chars it only waits ' +
    'for more output or for the end. Typing needs a session that was started with a terminal; an interrupt does not.',
  input,
  concurrency: 'shared',
  advice:
    `A command that still runs after its answer is a session. Use ${NAME} to wait for it, to type into it, or to ` +
    'interrupt it when it is no longer needed.',
  offer: offeredFor('unified_exec'),
  intent: ({ session_id: session, chars = '' }) => ({
    effects: chars === '' ? [] : [{ kind: 'type', session: sessionId(session), text: chars }],
  }),
  present: ({ session_id: session, chars = '' }) => ({
    title: chars === '' ? `Wait for session ${session}` : `Type into session ${session}`,
    ...(chars !== '' && { command: chars }),
  }),
  run: interact,
});

async function interact(request: WriteInput, scope: RunScope): Promise<ToolOutput> {
  const { chars = '', session_id: id } = request;
  const session = scope.sessions.find(id);
  if (session === undefined) throw unknownSession(id, scope.sessions.list());
  return session.exclusively(scope.signal, async () => {
    // Whoever came first may have been told of its end.
    if (scope.sessions.find(id) === undefined) throw unknownSession(id, scope.sessions.list());
    const started = scope.now();
    if (chars !== '') await type(session, chars);
    const collected = await session.collect({ ms: waitingTime(request), signal: scope.signal });
    return sessionAnswer(session.info, collected, scope, { tool: NAME, started, maxTokens: request.max_output_tokens });
  });
}

async function type(session: Session, chars: string): Promise<void> {
  try {
    await session.type(chars);
  } catch (error) {
    if (error instanceof ToolFailure) throw new ToolFailure(`${NAME} failed: ${error.message}`, { cause: error });
    throw error;
  }
}

function waitingTime({ chars = '', yield_time_ms: asked = DEFAULT_YIELD_MS }: WriteInput): number {
  return chars === '' ? yieldTime(asked, SHORTEST_POLL_MS, LONGEST_POLL_MS) : yieldTime(asked);
}

function unknownSession(id: number, sessions: readonly SessionInfo[]): ToolFailure {
  const open = sessions.map((session) => `${session.id} (${commandLine(session.argv)})`);
  return new ToolFailure(
    `${NAME} failed: Unknown process id ${id}. A session is gone once its end was told. ` +
      (open.length === 0 ? 'No session is open.' : `Open sessions: ${open.join(', ')}`),
  );
}
