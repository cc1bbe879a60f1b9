/** The answer to a call as the Responses API spells it. A shell call of its own kind is answered like a function. */
import type { JsonObject } from '../core/json-object.js';
import type { Answer } from '../core/outcome.js';
import { answerText } from '../core/outcome.js';
import { responsesContent } from './responses-content.js';

export function responsesAnswer(answer: Answer): JsonObject {
  const hasImage = answer.content.some((part) => part.kind === 'image');
  return {
    type: answer.payloadKind === 'custom' ? 'custom_tool_call_output' : 'function_call_output',
    call_id: answer.callId,
    output: hasImage ? responsesContent(answer.content) : answerText(answer),
  };
}
