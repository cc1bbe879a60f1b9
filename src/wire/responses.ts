/** Tools and answers as the Responses API spells them. */
import type { JsonObject } from '../core/json-object.js';
import type { Answer } from '../core/outcome.js';
import { answerText } from '../core/outcome.js';
import type { ToolSpec } from '../core/tool.js';

export function responsesTool(spec: ToolSpec): JsonObject {
  switch (spec.kind) {
    case 'function': {
      const { name, description, strict, parameters } = spec;
      return { type: 'function', name, description, strict, parameters };
    }
    case 'custom': {
      const { name, description, grammar } = spec;
      const format = grammar && { type: 'grammar', syntax: grammar.syntax, definition: grammar.text };
      return { type: 'custom', name, description, ...(format && { format }) };
    }
    case 'hosted':
      return { type: spec.name, ...spec.options };
  }
}

export function responsesAnswer(answer: Answer): JsonObject {
  return {
    type: answer.payloadKind === 'custom' ? 'custom_tool_call_output' : 'function_call_output',
    call_id: answer.callId,
    output: answer.content.some((part) => part.kind === 'image') ? contentItems(answer) : answerText(answer),
  };
}

function contentItems(answer: Answer): readonly JsonObject[] {
  return answer.content.map((part) =>
    part.kind === 'text'
      ? { type: 'input_text', text: part.text }
      : {
          type: 'input_image',
          image_url: `data:${part.mediaType};base64,${part.base64}`,
          ...(part.detail && { detail: part.detail }),
        },
  );
}
