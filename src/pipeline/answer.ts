/** An outcome in the words the model gets. */
import type { ToolCall } from '../core/call.js';
import type { Answer, Outcome } from '../core/outcome.js';
import type { ContentPart } from '../core/output.js';
import type { Tool } from '../core/tool.js';

export function answerFor(call: ToolCall, tool: Tool | undefined, outcome: Outcome, elapsedMs: number): Answer {
  return {
    callId: call.id,
    payloadKind: call.payload.kind,
    content: contentOf(call, tool, outcome, elapsedMs),
    success: outcome.kind === 'completed' && outcome.output.success !== false,
  };
}

function contentOf(
  call: ToolCall,
  tool: Tool | undefined,
  outcome: Outcome,
  elapsedMs: number,
): readonly ContentPart[] {
  switch (outcome.kind) {
    case 'completed':
      return outcome.output.content;
    case 'failed':
      return text(outcome.message);
    case 'rejected':
      return text(outcome.reason);
    case 'aborted':
      return text(abortText(tool, outcome.afterRun, elapsedMs));
    case 'crashed':
      return text(
        `${call.name} failed unexpectedly: ${outcome.message}. This is a fault in the tool, not in your call.`,
      );
    case 'fatal':
      return text(`Fatal error: ${outcome.message}`);
  }
}

function abortText(tool: Tool | undefined, afterRun: boolean, elapsedMs: number): string {
  const seconds = Math.max(0.1, elapsedMs / 1000).toFixed(1);
  const known = tool?.describeAbort?.(seconds) ?? `aborted by user after ${seconds}s`;
  return afterRun ? `${known}\nThe tool itself had already ended, so what it did stands.` : known;
}

function text(message: string): readonly ContentPart[] {
  return [{ kind: 'text', text: message }];
}
