/** The keys of `config.toml` about the model: who it is, how it is asked, and what it may cost. */
import { array, boolean, enum as oneOf, int, minimum, number, object, optional, record, string } from 'zod/mini';

import { REASONING_EFFORTS } from '../core/model.js';
import type { ReasoningSummary, Verbosity } from '../core/model.js';
import { PATCH_FACES, SHELL_TYPES } from '../core/selection.js';
import { addressSchema, providerSchema } from '../model/provider-schema.js';

const SUMMARIES = ['auto', 'concise', 'detailed', 'none'] as const satisfies readonly ReasoningSummary[];
const VERBOSITIES = ['low', 'medium', 'high'] as const satisfies readonly Verbosity[];

const tokens = () => int().check(minimum(1));
const price = () => number().check(minimum(0));

const familySchema = () =>
  object({
    shell_type: optional(oneOf(SHELL_TYPES)),
    apply_patch_tool_type: optional(oneOf(PATCH_FACES)),
    supports_parallel_tool_calls: optional(boolean()),
    truncation: optional(object({ mode: oneOf(['bytes', 'tokens']), limit: int().check(minimum(0)) })),
    context_window: optional(tokens()),
    supports_images: optional(boolean()),
  });

/** Of one turn. */
const limitsSchema = () =>
  object({
    requests: optional(tokens()),
    wall_seconds: optional(number().check(minimum(0.001))),
    tokens: optional(tokens()),
    cost_usd: optional(number().check(minimum(0.0001))),
  });

/** US dollars for a million tokens. Only both say what something costs, but they may be set one after the other. */
const priceSchema = () =>
  object({ input: optional(price()), cached_input: optional(price()), output: optional(price()) });

/** Each schema is made when its key is used. */
export const modelKeys = {
  model: () => optional(string()),
  model_provider: () => optional(string()),
  /** Where `openai` is. */
  openai_base_url: () => optional(addressSchema()),
  model_providers: () => optional(record(string(), providerSchema())),
  oss_provider: () => optional(string()),
  model_context_window: () => optional(tokens()),
  model_auto_compact_token_limit: () => optional(tokens()),
  model_max_output_tokens: () => optional(tokens()),
  model_reasoning_effort: () => optional(oneOf(REASONING_EFFORTS)),
  model_reasoning_summary: () => optional(oneOf(SUMMARIES)),
  model_verbosity: () => optional(oneOf(VERBOSITIES)),
  parallel_tool_calls: () => optional(boolean()),
  model_families: () => optional(record(string(), familySchema())),
  model_prices: () => optional(record(string(), priceSchema())),
  limits: () => optional(limitsSchema()),
  model_instructions_file: () => optional(string()),
  developer_instructions: () => optional(string()),
  project_doc_max_bytes: () => optional(int().check(minimum(0))),
  project_doc_fallback_filenames: () => optional(array(string())),
  hide_agent_reasoning: () => optional(boolean()),
};
