/** A request of the Chat Completions API, up to its history: the base prompt is its first message. */
import type { JsonObject } from '../core/json-object.js';
import type { ModelRequest } from '../core/model.js';
import type { Dialect } from '../core/provider.js';
import { chatTool, plainChatTool } from './chat-tool.js';
import { openList } from './open-list.js';

export function chatHead(request: ModelRequest, dialect: Dialect): string {
  const { model, instructions, cacheKey, reasoningEffort, verbosity } = request;
  const fields = {
    model,
    stream: true,
    stream_options: { include_usage: true },
    ...toolFields(request, dialect),
    ...(dialect.reasoning && reasoningEffort !== undefined && { reasoning_effort: reasoningEffort }),
    ...(dialect.verbosity && verbosity !== undefined && { verbosity }),
    ...(dialect.cacheKey && cacheKey !== undefined && { prompt_cache_key: cacheKey }),
    ...answerFields(request, dialect),
  };
  return openList(fields, 'messages') + firstMessage(instructions);
}

function toolFields({ tools, toolChoice, parallelToolCalls }: ModelRequest, dialect: Dialect): JsonObject {
  const spelled = tools.map(dialect.strictSchemas ? chatTool : plainChatTool).filter((tool) => tool !== undefined);
  if (spelled.length === 0) return {};
  return {
    tools: spelled,
    tool_choice: toolChoice,
    ...(dialect.parallelToolCalls && { parallel_tool_calls: parallelToolCalls }),
  };
}

/** Servers with models that reason count what those think as well, under another name. */
function answerFields({ outputSchema, maxOutputTokens }: ModelRequest, dialect: Dialect): JsonObject {
  const limit = dialect.reasoning ? 'max_completion_tokens' : 'max_tokens';
  return {
    ...(dialect.strictSchemas &&
      outputSchema && { response_format: { type: 'json_schema', json_schema: outputSchema } }),
    ...(maxOutputTokens !== undefined && { [limit]: maxOutputTokens }),
  };
}

/** With the comma behind it: a history is never empty. */
function firstMessage(instructions: string): string {
  return instructions === '' ? '' : `${JSON.stringify({ role: 'system', content: instructions })},`;
}
