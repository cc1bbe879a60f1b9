/** What a model reads of a session: whether it still runs, under which number, and what it printed. */
import { tokensIn } from '../core/output.js';
import type { ToolOutput } from '../core/output.js';
import type { Collected, SessionInfo, Sessions } from '../core/sessions.js';
import type { RunScope } from '../core/tool.js';
import { exitCodeOf } from './run-to-end.js';

const SHORTEST_YIELD_MS = 250;
const LONGEST_YIELD_MS = 30_000;

const SESSIONS_LEFT = 4;

/** How long a call waits for more output, within what a model was taught. */
export function yieldTime(asked: number, shortest = SHORTEST_YIELD_MS, longest = LONGEST_YIELD_MS): number {
  return Math.min(Math.max(asked, shortest), longest);
}

export type AnswerRequest = {
  readonly tool: string;
  readonly started: number;
  readonly maxTokens?: number | undefined;
  /** What the model has to know beside the output. */
  readonly notes?: readonly string[];
};

/** `session` need not be known of what has ended. */
export function sessionAnswer(
  session: SessionInfo | undefined,
  collected: Collected,
  scope: RunScope,
  { tool, started, maxTokens, notes = [] }: AnswerRequest,
): ToolOutput {
  const { output, exit, waiting } = collected;
  const seconds = (scope.now() - started) / 1000;
  const code = exit && exitCodeOf(exit, tool);
  const header = [
    `Chunk ID: ${scope.randomHex(6)}`,
    `Wall time: ${seconds.toFixed(4)} seconds`,
    code === undefined ? `Process running with session ID ${session?.id}` : `Process exited with code ${code}`,
    ...(waiting ? [waitingLine(waiting.prompt)] : []),
    ...notes.map((note) => `Note: ${note}`),
    `Original token count: ${tokensIn(output.bytes)}`,
    'Output:',
    '',
  ];
  return {
    content: [
      { kind: 'text', text: header.join('\n') },
      { kind: 'capture', capture: output, maxTokens },
    ],
    success: code === undefined || code === 0,
    details: { seconds, ...(exit ? { exit } : { session: session?.id }), ...(waiting && { waiting }) },
  };
}

/** A model that opens many sessions should know before they end each other. */
export function crowdNotes(sessions: Sessions): readonly string[] {
  const open = sessions.list().length;
  if (open < sessions.capacity - SESSIONS_LEFT) return [];
  return [`${open} of ${sessions.capacity} sessions are open; a new one may end the least recently used`];
}

function waitingLine(prompt: string): string {
  return prompt === '' ? 'Process is waiting for input' : `Process is waiting for input at: ${prompt}`;
}
