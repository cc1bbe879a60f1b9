/** The table of one server in `config.toml`. Spelled as in Codex wherever the same key exists there. */
import {
  array,
  boolean,
  enum as oneOf,
  int,
  maximum,
  minimum,
  object,
  optional,
  record,
  refine,
  string,
} from 'zod/mini';
import type { z } from 'zod/mini';

import { lazy } from '../core/lazy.js';
import { WIRES } from '../core/model.js';
import { HOW_TO_WRITE, isBaseUrl } from './base-url.js';

/** The longest that a timer of Node can wait. */
const LONGEST_WAIT = 2_147_483_647;

const retries = () => optional(int().check(minimum(0), maximum(100)));
const words = () => optional(record(string(), string()));
const flag = () => optional(boolean());

export const addressSchema = () => string().check(refine(isBaseUrl, HOW_TO_WRITE));

/** Made when a server is set. */
export const providerSchema = lazy(() =>
  object({
    /** For people. */
    name: optional(string()),
    base_url: optional(addressSchema()),
    /** The variable of the environment that holds the key, and how one gets it. */
    env_key: optional(string()),
    env_key_instructions: optional(string()),
    wire_api: optional(oneOf(WIRES)),
    http_headers: words(),
    /** Headers whose values are in variables of the environment. */
    env_http_headers: words(),
    query_params: words(),
    request_max_retries: retries(),
    stream_max_retries: retries(),
    stream_idle_timeout_ms: optional(int().check(minimum(1), maximum(LONGEST_WAIT))),
    /** Whether calls that a model wrote into its text are understood. */
    text_tool_calls: flag(),
    /** What it takes, in a word; the keys below are for servers in between. */
    dialect: optional(oneOf(['openai', 'plain'])),
    context_role: optional(oneOf(['developer', 'system', 'user'])),
    custom_tools: flag(),
    hosted_tools: optional(array(string())),
    reasoning: flag(),
    verbosity: flag(),
    prompt_cache_key: flag(),
    parallel_tool_calls: flag(),
    store: flag(),
    strict_schemas: flag(),
  }),
);

export type ProviderSettings = z.infer<ReturnType<typeof providerSchema>>;
