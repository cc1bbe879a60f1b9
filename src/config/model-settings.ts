/** What a conversation with a model takes from the configuration, and from what is known of the model's family. */
import { ConfigError } from '../core/errors.js';
import type { ReasoningEffort, ReasoningSummary, Verbosity } from '../core/model.js';
import { nearest } from '../core/nearest.js';
import type { Price, TurnLimits } from '../core/turn.js';
import { keyText } from '../toml/key.js';
import type { Config } from './config-schema.js';
import { given } from './given.js';
import { modelFamily } from './model-families.js';

export const DEFAULT_PROVIDER = 'openai';

export type ModelSettings = {
  /** Absent: nobody has named one. */
  readonly model?: string;
  readonly providerId: string;
  readonly effort?: ReasoningEffort;
  readonly summary?: ReasoningSummary;
  readonly verbosity?: Verbosity;
  readonly maxOutputTokens?: number;
  readonly contextWindow?: number;
  /** With how many tokens a conversation is made shorter. */
  readonly autoCompactTokens?: number;
  readonly parallelToolCalls: boolean;
  /** Whether it reasons, as far as anybody knows. */
  readonly reasons: boolean;
  /** Whether it can be shown images. */
  readonly images: boolean;
  readonly limits: TurnLimits;
  readonly price?: Price;
};

/** Throws a `ConfigError` when the cost is limited and nobody knows what the model costs. */
export function modelSettings(config: Config): ModelSettings {
  const family = modelFamily(config.model, config.model_families);
  const price = priceOf(config);
  if (config.limits?.cost_usd !== undefined && price === undefined) throw new ConfigError(noPrice(config));
  return {
    providerId: config.model_provider ?? DEFAULT_PROVIDER,
    parallelToolCalls: config.parallel_tool_calls ?? family.parallelToolCalls,
    reasons: !family.known || family.reasoning !== undefined || config.model_reasoning_effort !== undefined,
    images: family.images,
    limits: turnLimits(config),
    ...given({
      model: config.model,
      effort: config.model_reasoning_effort ?? family.reasoning?.effort,
      summary: config.model_reasoning_summary ?? family.reasoning?.summary,
      verbosity: config.model_verbosity ?? family.verbosity,
      maxOutputTokens: config.model_max_output_tokens,
      contextWindow: config.model_context_window ?? family.contextWindow,
      autoCompactTokens: config.model_auto_compact_token_limit,
      price,
    }),
  };
}

function turnLimits({ limits = {} }: Config): TurnLimits {
  const { requests, wall_seconds: seconds, tokens, cost_usd: costUsd } = limits;
  return given({
    requests,
    wallMs: seconds === undefined ? undefined : Math.round(seconds * 1000),
    tokens,
    costUsd,
  });
}

/** Half a price is none. */
function priceOf(config: Config): Price | undefined {
  const { input, cached_input: cachedInput, output } = pricesOf(config) ?? {};
  if (input === undefined || output === undefined) return undefined;
  return { input, output, ...given({ cachedInput }) };
}

function pricesOf({ model = '', model_prices: prices = {} }: Config): Partial<Record<string, number>> | undefined {
  return Object.hasOwn(prices, model) ? prices[model] : undefined;
}

function noPrice(config: Config): string {
  const { model, model_prices: prices = {} } = config;
  if (model === undefined) return 'limits.cost_usd needs to know the model: set `model`, or leave the limit out';
  const table = keyText(['model_prices', model]);
  const half = pricesOf(config);
  if (half) {
    const missing = ['input', 'output'].filter((name) => half[name] === undefined);
    return `limits.cost_usd is set, but [${table}] does not say ${missing.join(' and ')}: add ${missing.length === 1 ? 'it' : 'them'}, in US dollars for a million tokens`;
  }
  const guess = nearest(model, Object.keys(prices));
  const hint = guess === undefined ? '' : ` (there is one for ${guess})`;
  return `limits.cost_usd is set, but there is no price for ${model}${hint}: add [${table}] with input and output, in US dollars for a million tokens`;
}
