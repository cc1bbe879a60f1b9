/** A tool as the Chat Completions API spells it, which knows functions only. */
import type { JsonObject } from '../core/json-object.js';
import type { FunctionSpec, ToolSpec } from '../core/tool.js';
import { asFunction } from './lower.js';

/** Undefined for a tool that only its own server could run. */
export function chatTool(spec: ToolSpec): JsonObject | undefined {
  const lowered = asFunction(spec);
  return lowered && { type: 'function', function: chatFunction(lowered) };
}

/** For servers that do not know what it means that a schema is strict. */
export function plainChatTool(spec: ToolSpec): JsonObject | undefined {
  const lowered = asFunction(spec);
  if (lowered === undefined) return undefined;
  const { strict: _strict, ...plain } = chatFunction(lowered);
  return { type: 'function', function: plain };
}

function chatFunction({ name, description, strict, parameters }: FunctionSpec): JsonObject {
  return { name, description, strict, parameters };
}
