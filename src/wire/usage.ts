/** Tokens as either API counts them. Some servers add their own names for what was cached. */
import type { JsonObject } from '../core/json-object.js';
import type { Usage } from '../core/model.js';
import { countIn, objectIn } from './read-field.js';

export function readUsage(value: unknown): Usage | undefined {
  const usage = objectIn(value);
  if (usage === undefined) return undefined;
  const input = countIn(usage['input_tokens'] ?? usage['prompt_tokens']);
  const output = countIn(usage['output_tokens'] ?? usage['completion_tokens']);
  if (input === undefined && output === undefined) return undefined;
  const inputDetails = details(usage, 'input_tokens_details', 'prompt_tokens_details');
  const outputDetails = details(usage, 'output_tokens_details', 'completion_tokens_details');
  return {
    inputTokens: input ?? 0,
    cachedInputTokens: firstCount(inputDetails['cached_tokens'], usage['prompt_cache_hit_tokens']),
    cacheWriteInputTokens: firstCount(inputDetails['cache_write_tokens'], usage['cache_creation_input_tokens']),
    outputTokens: output ?? 0,
    reasoningOutputTokens: firstCount(outputDetails['reasoning_tokens']),
  };
}

function details(usage: JsonObject, ...names: readonly string[]): JsonObject {
  return names.map((name) => objectIn(usage[name])).find((each) => each !== undefined) ?? {};
}

function firstCount(...values: readonly unknown[]): number {
  return values.map(countIn).find((each) => each !== undefined) ?? 0;
}
