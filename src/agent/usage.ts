/** Adding up what was used, and what it costs. */
import type { Usage } from '../core/model.js';
import type { Price } from '../core/turn.js';

export function addUsage(one: Usage, other: Usage): Usage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    cacheWriteInputTokens: one.cacheWriteInputTokens + other.cacheWriteInputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    reasoningOutputTokens: one.reasoningOutputTokens + other.reasoningOutputTokens,
  };
}

/** Input and output; reasoning is a part of the output, and what was cached a part of the input. */
export function tokensOf({ inputTokens, outputTokens }: Usage): number {
  return inputTokens + outputTokens;
}

const A_MILLION = 1_000_000;

export function costOf(usage: Usage, { input, cachedInput = input, output }: Price): number {
  const cached = Math.min(usage.cachedInputTokens, usage.inputTokens);
  const fresh = usage.inputTokens - cached;
  return (fresh * input + cached * cachedInput + usage.outputTokens * output) / A_MILLION;
}
