/**
 * What is known of model families, as data. The first row with a prefix that fits a model's name decides; the user may
 * say otherwise for any prefix. A context window is there only where it is public and sure.
 */
import type { ReasoningEffort, ReasoningSummary, Verbosity } from '../core/model.js';
import { DEFAULT_BUDGET } from '../core/output.js';
import type { Budget } from '../core/output.js';
import type { PatchFace, ShellType } from '../core/selection.js';
import { familyName } from './family-name.js';
import { familyOverride } from './family-overrides.js';
import type { FamilyOverride, FamilyOverrides } from './family-overrides.js';

export type ModelFamily = {
  /** False for a model that nobody here has heard of. */
  readonly known: boolean;
  readonly shellType: ShellType;
  readonly patchFace: PatchFace;
  readonly outputBudget: Budget;
  readonly parallelToolCalls: boolean;
  /** Tokens that a request may have. Absent: not known. */
  readonly contextWindow?: number;
  /** Whether it can be shown images. */
  readonly images: boolean;
  /** What it is asked for unless the user asks for something else. Absent: it is not told anything. */
  readonly reasoning?: { readonly effort: ReasoningEffort; readonly summary?: ReasoningSummary };
  readonly verbosity?: Verbosity;
};

export function modelFamily(model: string | undefined, overrides: FamilyOverrides = {}): ModelFamily {
  if (model === undefined) return UNNAMED;
  const name = familyName(model);
  const family = FAMILIES.find(({ prefixes }) => prefixes.some((prefix) => name.startsWith(prefix)))?.family ?? UNKNOWN;
  const override = familyOverride(model, overrides);
  return override === undefined ? family : overridden(family, override);
}

function overridden(family: ModelFamily, override: FamilyOverride): ModelFamily {
  const { truncation, context_window: contextWindow = family.contextWindow } = override;
  return {
    ...family,
    known: true,
    shellType: override.shell_type ?? family.shellType,
    patchFace: override.apply_patch_tool_type ?? family.patchFace,
    outputBudget: truncation ? { unit: truncation.mode, amount: truncation.limit } : family.outputBudget,
    parallelToolCalls: override.supports_parallel_tool_calls ?? family.parallelToolCalls,
    ...(contextWindow !== undefined && { contextWindow }),
    images: override.supports_images ?? family.images,
  };
}

const TOKENS: Budget = DEFAULT_BUDGET;
const BYTES: Budget = { unit: 'bytes', amount: 10_000 };

/** It may be new, so it is not held back: a server that takes no images says so. */
const UNKNOWN: ModelFamily = {
  known: false,
  shellType: 'unified_exec',
  patchFace: 'function',
  outputBudget: BYTES,
  parallelToolCalls: true,
  images: true,
};

const UNNAMED: ModelFamily = { ...UNKNOWN, known: true, patchFace: 'freeform', outputBudget: TOKENS };

/** Before patches were a tool of their own for it. */
const EARLY_GPT: ModelFamily = {
  known: true,
  shellType: 'shell',
  patchFace: 'function',
  outputBudget: BYTES,
  parallelToolCalls: false,
  images: true,
};

const REASONING_GPT: ModelFamily = { ...EARLY_GPT, reasoning: { effort: 'medium', summary: 'auto' } };

/** Beyond that, OpenAI's later models take more and charge twice as much for all of the request. */
const GPT_5_WINDOW = 272_000;

const CODEX: ModelFamily = {
  ...REASONING_GPT,
  shellType: 'shell_command',
  patchFace: 'freeform',
  outputBudget: TOKENS,
  contextWindow: GPT_5_WINDOW,
};

/** Summaries of its reasoning are only for accounts that were verified, so the user has to ask for them. */
const TODAYS_CODEX: ModelFamily = {
  ...CODEX,
  shellType: 'unified_exec',
  parallelToolCalls: true,
  reasoning: { effort: 'medium' },
};

const TODAYS_GPT: ModelFamily = { ...TODAYS_CODEX, verbosity: 'low' };

/** Others have learnt to edit by replacing a piece of text. */
const REPLACING: ModelFamily = { ...UNKNOWN, known: true, patchFace: 'structured', outputBudget: TOKENS };

const CLAUDE: ModelFamily = { ...REPLACING, contextWindow: 200_000 };
const CLAUDE_5: ModelFamily = { ...CLAUDE, contextWindow: 1_000_000 };

/** Mostly run on a machine of one's own, with a window that is soon full. */
const LOCAL: ModelFamily = { ...REPLACING, outputBudget: BYTES, images: false };

const LLAMA_3: ModelFamily = { ...LOCAL, contextWindow: 131_072 };

type Row = { readonly prefixes: readonly string[]; readonly family: ModelFamily };

/** The more specific first. */
export const FAMILIES: readonly Row[] = [
  { prefixes: ['o3', 'o4-mini'], family: { ...REASONING_GPT, contextWindow: 200_000 } },
  { prefixes: ['codex-mini-latest'], family: { ...REASONING_GPT, shellType: 'local_shell', contextWindow: 200_000 } },
  { prefixes: ['gpt-4.1'], family: { ...EARLY_GPT, contextWindow: 1_047_576 } },
  { prefixes: ['gpt-4o'], family: { ...EARLY_GPT, contextWindow: 128_000 } },
  { prefixes: ['gpt-3.5', 'gpt-35'], family: { ...EARLY_GPT, images: false, contextWindow: 16_385 } },
  // The window is 131,072, but it reasons at length in the same window: what is left is for that.
  { prefixes: ['gpt-oss'], family: { ...REASONING_GPT, images: false, contextWindow: 96_000 } },
  { prefixes: ['test-gpt-5'], family: { ...CODEX, patchFace: 'function', parallelToolCalls: true } },
  { prefixes: ['exp-codex'], family: { ...CODEX, parallelToolCalls: true } },
  { prefixes: ['exp-'], family: { ...TODAYS_GPT, outputBudget: BYTES } },
  { prefixes: ['gpt-5-codex', 'gpt-5.1-codex', 'codex-'], family: CODEX },
  { prefixes: ['gpt-5.1'], family: { ...CODEX, outputBudget: BYTES, parallelToolCalls: true, verbosity: 'low' } },
  { prefixes: ['gpt-5.3-codex-spark'], family: { ...TODAYS_CODEX, images: false, contextWindow: 128_000 } },
  { prefixes: ['gpt-5.2-codex', 'gpt-5.3-codex'], family: TODAYS_CODEX },
  { prefixes: ['gpt-5.6', 'gpt-6'], family: { ...TODAYS_GPT, reasoning: { effort: 'low' } } },
  { prefixes: ['gpt-5.'], family: TODAYS_GPT },
  { prefixes: ['gpt-5-chat'], family: { ...EARLY_GPT, contextWindow: 128_000 } },
  { prefixes: ['gpt-5'], family: { ...REASONING_GPT, contextWindow: GPT_5_WINDOW } },
  { prefixes: ['claude-fable-5', 'claude-opus-5', 'claude-sonnet-5'], family: CLAUDE_5 },
  { prefixes: ['claude-opus-4-6', 'claude-opus-4-7', 'claude-opus-4-8', 'claude-sonnet-4-6'], family: CLAUDE_5 },
  { prefixes: ['claude-opus-4.6', 'claude-opus-4.7', 'claude-opus-4.8', 'claude-sonnet-4.6'], family: CLAUDE_5 },
  { prefixes: ['claude'], family: CLAUDE },
  { prefixes: ['gemini'], family: { ...REPLACING, contextWindow: 1_048_576 } },
  { prefixes: ['qwen3-coder'], family: { ...REPLACING, images: false, contextWindow: 262_144 } },
  { prefixes: ['qwen3.5', 'qwen3.6', 'qwen3-vl'], family: { ...REPLACING, contextWindow: 262_144 } },
  { prefixes: ['qwen2.5-vl', 'qwen2.5vl', 'qwen2-vl', 'qwen-vl', 'qwen3.7-plus'], family: { ...LOCAL, images: true } },
  { prefixes: ['qwen', 'qwq'], family: LOCAL },
  {
    prefixes: ['llama-3.2-11b-vision', 'llama-3.2-90b-vision', 'llama3.2-vision', 'llama3-2-11b', 'llama3-2-90b'],
    family: { ...LLAMA_3, images: true },
  },
  { prefixes: ['llama-3.1', 'llama-3.2', 'llama-3.3', 'llama3.1', 'llama3.2', 'llama3.3'], family: LLAMA_3 },
  { prefixes: ['llama3-1', 'llama3-2', 'llama3-3'], family: LLAMA_3 },
  { prefixes: ['llama-4', 'llama4'], family: { ...LOCAL, images: true } },
  { prefixes: ['llama'], family: LOCAL },
  { prefixes: ['deepseek-v4'], family: { ...REPLACING, images: false, contextWindow: 1_000_000 } },
  { prefixes: ['deepseek-coder'], family: LOCAL },
  { prefixes: ['deepseek'], family: { ...REPLACING, images: false, contextWindow: 128_000 } },
  { prefixes: ['devstral'], family: { ...LOCAL, contextWindow: 128_000 } },
  { prefixes: ['mistral-large', 'mistral-medium', 'mistral-small', 'pixtral'], family: { ...LOCAL, images: true } },
  { prefixes: ['codestral', 'magistral', 'ministral', 'mistral', 'mixtral'], family: LOCAL },
  { prefixes: ['open-codestral', 'open-mistral', 'open-mixtral'], family: LOCAL },
];
