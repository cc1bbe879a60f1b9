/** What is known of model families, as data. The first prefix that fits a model's name decides. */
import { DEFAULT_BUDGET } from '../core/output.js';
import type { Budget } from '../core/output.js';
import type { PatchFace, ShellType } from '../core/selection.js';

export type ModelFamily = {
  readonly shellType: ShellType;
  readonly patchFace: PatchFace;
  readonly outputBudget: Budget;
};

const TOKENS: Budget = DEFAULT_BUDGET;
const BYTES: Budget = { unit: 'bytes', amount: 10_000 };

const FAMILIES: readonly (readonly [prefix: string, family: ModelFamily])[] = [
  ['o3', { shellType: 'shell', patchFace: 'function', outputBudget: BYTES }],
  ['o4-mini', { shellType: 'shell', patchFace: 'function', outputBudget: BYTES }],
  ['codex-mini-latest', { shellType: 'local_shell', patchFace: 'function', outputBudget: BYTES }],
  ['gpt-4.1', { shellType: 'shell', patchFace: 'function', outputBudget: BYTES }],
  ['gpt-4o', { shellType: 'shell', patchFace: 'function', outputBudget: BYTES }],
  ['gpt-3.5', { shellType: 'shell', patchFace: 'function', outputBudget: BYTES }],
  ['gpt-oss', { shellType: 'shell', patchFace: 'function', outputBudget: BYTES }],
  ['openai/gpt-oss', { shellType: 'shell', patchFace: 'function', outputBudget: BYTES }],
  ['gpt-5-codex', { shellType: 'shell_command', patchFace: 'freeform', outputBudget: TOKENS }],
  ['gpt-5.1-codex', { shellType: 'shell_command', patchFace: 'freeform', outputBudget: TOKENS }],
  ['codex-', { shellType: 'shell_command', patchFace: 'freeform', outputBudget: TOKENS }],
  ['gpt-5.1', { shellType: 'shell_command', patchFace: 'freeform', outputBudget: BYTES }],
  ['gpt-5.', { shellType: 'unified_exec', patchFace: 'freeform', outputBudget: TOKENS }],
  ['gpt-6', { shellType: 'unified_exec', patchFace: 'freeform', outputBudget: TOKENS }],
  ['gpt-5', { shellType: 'shell', patchFace: 'function', outputBudget: BYTES }],
];

const UNKNOWN: ModelFamily = { shellType: 'unified_exec', patchFace: 'function', outputBudget: BYTES };
const UNNAMED: ModelFamily = { shellType: 'unified_exec', patchFace: 'freeform', outputBudget: TOKENS };

export function modelFamily(model: string | undefined): ModelFamily {
  if (model === undefined) return UNNAMED;
  return FAMILIES.find(([prefix]) => model.startsWith(prefix))?.[1] ?? UNKNOWN;
}
