/** The part of a request that does not grow: the same object as long as nothing in it changes, because it is spelled once. */
import type { ModelRequest, OutputSchema } from '../core/model.js';
import type { ConversationSetup } from './conversation-setup.js';

export type RequestFor = (setup: ConversationSetup, outputSchema?: OutputSchema) => ModelRequest;

/** `cacheKey` names the conversation. */
export function createRequestFor(cacheKey: string): RequestFor {
  let last: ModelRequest | undefined;
  return ({ model, instructions, tools, settings }, outputSchema) => {
    const next: ModelRequest = {
      model: model.name,
      instructions,
      tools: tools(),
      toolChoice: 'auto',
      parallelToolCalls: true,
      cacheKey,
      ...settings,
      ...(outputSchema && { outputSchema }),
    };
    last = last && isSame(last, next) ? last : next;
    return last;
  };
}

function isSame(one: ModelRequest, other: ModelRequest): boolean {
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]) as ReadonlySet<keyof ModelRequest>;
  return [...keys].every((key) => one[key] === other[key]);
}
