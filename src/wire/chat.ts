/**
 * Tools and answers as the Chat Completions API spells them. It knows functions only, so every other kind is
 * lowered to one; a tool's `parse` lifts the call back.
 */
import type { JsonObject } from '../core/json-object.js';
import type { Answer } from '../core/outcome.js';
import { answerText } from '../core/outcome.js';
import type { CustomSpec, FunctionSpec, ToolSpec } from '../core/tool.js';

/** Undefined for a tool that only its own server could run. */
export function chatTool(spec: ToolSpec): JsonObject | undefined {
  const lowered = lower(spec);
  if (lowered === undefined) return undefined;
  const { name, description, strict, parameters } = lowered;
  return { type: 'function', function: { name, description, strict, parameters } };
}

function lower(spec: ToolSpec): Omit<FunctionSpec, 'kind'> | undefined {
  switch (spec.kind) {
    case 'function':
      return spec;
    case 'custom':
      return { name: spec.name, description: describeCustom(spec), strict: false, parameters: TEXT_PARAMETER };
    case 'hosted':
      return spec.lowered && { name: spec.name, ...spec.lowered };
  }
}

const TEXT_PARAMETER: FunctionSpec['parameters'] = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole text for the tool.' } },
  required: ['input'],
  additionalProperties: false,
};

/** A server that takes no grammar leaves it to the model to keep to it, so the model must see it. */
function describeCustom({ description, grammar }: CustomSpec): string {
  return grammar
    ? `${description}\n\nThe text must follow this ${grammar.syntax} grammar:\n${grammar.text}`
    : description;
}

export function chatAnswer(answer: Answer): JsonObject {
  return { role: 'tool', tool_call_id: answer.callId, content: answerText(withoutImages(answer)) };
}

/** A tool's answer is text here; a model should know that there was more. */
function withoutImages({ content }: Answer): Pick<Answer, 'content'> {
  return { content: content.map((part) => (part.kind === 'image' ? { kind: 'text', text: NO_IMAGE } : part)) };
}

const NO_IMAGE = '[an image, which cannot be shown through this API]';
