/** Tools that are only played: judged and asked about as always, but in place of running each gives what it gave. */
import { Aborted, Fatal, Rejected, ToolFailure } from '../core/errors.js';
import type { RejectedBy } from '../core/outcome.js';
import { answerText } from '../core/outcome.js';
import type { ContentPart, OutputPart, ToolOutput } from '../core/output.js';
import type { RunScope, Tool } from '../core/tool.js';
import type { LineOf } from '../core/session-log.js';
import { wasTried } from './recorded-call.js';
import type { SessionRecord } from './session-record.js';

/** `translate` is from what was recorded to the names of this run. */
export function recordedTools(
  { calls }: SessionRecord,
  translate: <Value>(recorded: Value) => Value,
): (tool: Tool) => Tool {
  return (tool) => ({
    ...tool,
    async run(_input, scope) {
      const call = calls.get(scope.callId);
      if (call?.settled === undefined || !wasTried(call)) throw new ToolFailure(WOULD_RUN);
      return played(translate(call.settled), scope);
    },
  });
}

const WOULD_RUN = 'This call did not come so far when the session was recorded. Now it would run.';

/** Throws what the tool threw. */
function played({ outcome, by, answer }: LineOf<'call.settled'>, scope: RunScope): ToolOutput {
  const content = answer.content as readonly ContentPart[];
  const text = answerText({ content });
  switch (outcome) {
    case 'completed':
      return { content: content.map((part) => asItWas(part, scope)), success: answer.success };
    case 'failed':
      throw new ToolFailure(text);
    case 'rejected':
      throw new Rejected((by ?? 'policy') as RejectedBy, text);
    case 'aborted':
      throw new Aborted({ by: by === 'user' || by === 'deadline' ? by : 'signal' });
    case 'fatal':
      throw new Fatal(text.replace(/^Fatal error: /, ''));
    case 'crashed':
      throw new Error(/ failed unexpectedly: (.*)\. This is a fault in the tool/s.exec(text)?.[1] ?? text);
  }
}

/** It was cut to what a model may see already; what is printed is not cut again where the tool has words of its own. */
function asItWas(part: ContentPart, scope: RunScope): OutputPart {
  return part.kind === 'image' ? part : { kind: 'capture', capture: scope.capture(), render: () => part.text };
}
