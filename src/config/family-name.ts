/** A model's name without what its server or its owner has put around it, so that the same model is known everywhere. */

/** Some servers put the owner in front with a dot, and a region before that. */
const OWNERS = /^(?:[a-z-]+\.)?(?:anthropic|deepseek|google|meta|mistral|openai|qwen)\./;

/** `hf.co/someone/Qwen3-Coder-30B:Q4_K_M` → `qwen3-coder-30b`. */
export function familyName(model: string): string {
  const parts = model.toLowerCase().split('/');
  const last = parts.findLast((part) => part !== '') ?? '';
  return withoutTag(last)
    .replace(OWNERS, '')
    .replace(/^meta-llama/, 'llama');
}

function withoutTag(name: string): string {
  const colon = name.indexOf(':');
  return colon === -1 ? name : name.slice(0, colon);
}
