/** A request of the Responses API, up to its history. */
import type { JsonObject } from '../core/json-object.js';
import type { ModelRequest } from '../core/model.js';
import type { Dialect } from '../core/provider.js';
import { offeredAs } from './lower.js';
import { openList } from './open-list.js';
import { responsesTool } from './responses-tool.js';

export function responsesHead(request: ModelRequest, dialect: Dialect): string {
  const { model, instructions, cacheKey, maxOutputTokens } = request;
  const fields = {
    model,
    ...(instructions !== '' && { instructions }),
    ...toolFields(request, dialect),
    ...(dialect.reasoning && reasoningFields(request)),
    store: dialect.store,
    stream: true,
    ...(dialect.cacheKey && cacheKey !== undefined && { prompt_cache_key: cacheKey }),
    ...textField(request, dialect),
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
  };
  return openList(fields, 'input');
}

function toolFields({ tools, toolChoice, parallelToolCalls }: ModelRequest, dialect: Dialect): JsonObject {
  const offered = tools.map((spec) => offeredAs(spec, dialect)).filter((spec) => spec !== undefined);
  if (offered.length === 0) return {};
  return {
    tools: offered.map(responsesTool),
    tool_choice: toolChoice,
    ...(dialect.parallelToolCalls && { parallel_tool_calls: parallelToolCalls }),
  };
}

/** Nothing is kept at the server, so its reasoning has to come along, encrypted, to be sent back. */
function reasoningFields({ reasoningEffort, reasoningSummary }: ModelRequest): JsonObject {
  const reasoning = {
    ...(reasoningEffort !== undefined && { effort: reasoningEffort }),
    ...(reasoningSummary !== undefined && reasoningSummary !== 'none' && { summary: reasoningSummary }),
  };
  return {
    ...(Object.keys(reasoning).length > 0 && { reasoning }),
    include: ['reasoning.encrypted_content'],
  };
}

function textField({ verbosity, outputSchema }: ModelRequest, dialect: Dialect): JsonObject {
  const text = {
    ...(dialect.verbosity && verbosity !== undefined && { verbosity }),
    ...(dialect.strictSchemas && outputSchema && { format: { type: 'json_schema', ...outputSchema } }),
  };
  return Object.keys(text).length > 0 ? { text } : {};
}
