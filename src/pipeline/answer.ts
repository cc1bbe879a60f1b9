/** An outcome in the words the model gets. */
import type { ToolCall } from '../core/call.js';
import type { Answer, Outcome } from '../core/outcome.js';
import { textOutput } from '../core/output.js';
import type { Tool } from '../core/tool.js';
import { boundOutput } from './bound-output.js';
import type { Bounds } from './bound-output.js';

export type Ending = {
  readonly call: ToolCall;
  readonly tool: Tool | undefined;
  readonly outcome: Outcome;
  readonly elapsedMs: number;
};

/** A message may quote the model's own words, so it is bounded like any output. */
export function answerFor(ending: Ending, bounds: Bounds): Answer {
  const { call, outcome } = ending;
  const content =
    outcome.kind === 'completed'
      ? outcome.output.content
      : boundOutput(textOutput(messageFor(ending, outcome)), bounds).content;
  return {
    callId: call.id,
    payloadKind: call.payload.kind,
    content,
    success: outcome.kind === 'completed' && outcome.output.success !== false,
  };
}

type Unfinished = Exclude<Outcome, { kind: 'completed' }>;

function messageFor({ call, tool, elapsedMs }: Ending, outcome: Unfinished): string {
  switch (outcome.kind) {
    case 'failed':
      return outcome.message;
    case 'rejected':
      return outcome.reason;
    case 'aborted':
      return outcome.by === 'deadline'
        ? 'aborted: it needed an approval, and nobody answered in time. Do not try the same by other means.'
        : abortText(tool, outcome.afterRun, elapsedMs);
    case 'crashed':
      return `${call.name} failed unexpectedly: ${outcome.message}. This is a fault in the tool, not in your call.`;
    case 'fatal':
      return `Fatal error: ${outcome.message}`;
  }
}

function abortText(tool: Tool | undefined, afterRun: boolean, elapsedMs: number): string {
  const seconds = Math.max(0.1, elapsedMs / 1000).toFixed(1);
  const known =
    tool?.abortText === 'wall-time'
      ? `Wall time: ${seconds} seconds\naborted by user`
      : `aborted by user after ${seconds}s`;
  return afterRun ? `${known}\nThe tool itself had already ended, so what it did stands.` : known;
}
