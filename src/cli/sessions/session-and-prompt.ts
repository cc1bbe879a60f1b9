/** The two words of `resume` and `fork`. With `--last` the session is named already, and the only word is the prompt. */
import { UsageError } from '../usage-error.js';

export type SessionAndPrompt = { readonly named?: string; readonly prompt: string | undefined };

export function sessionAndPrompt(
  [first, second]: readonly (string | undefined)[],
  { last = false }: { readonly last?: boolean },
): SessionAndPrompt {
  if (!last) return { prompt: second, ...(first !== undefined && { named: first }) };
  if (second !== undefined) throw new UsageError('--last names the session already: what else is given is the prompt');
  return { prompt: first };
}
