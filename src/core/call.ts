/** A tool call as the model made it, before anything has been understood about it. */
import type { CallId } from './ids.js';

/** `arguments` and `input` stay raw text: whether they can be read is the tool's business, not the wire's. */
export type Payload =
  | { readonly kind: 'function'; readonly arguments: string }
  | { readonly kind: 'custom'; readonly input: string }
  | LocalShellPayload;

export type LocalShellPayload = {
  readonly kind: 'local_shell';
  readonly argv: readonly string[];
  readonly cwd?: string;
  readonly timeoutMs?: number;
};

export type ToolCall = {
  readonly id: CallId;
  readonly name: string;
  readonly payload: Payload;
};

/** A shell call of the kind that some models bring with them. */
export function localShellPayload(rest: Omit<LocalShellPayload, 'kind'>): LocalShellPayload {
  return { kind: 'local_shell', ...rest };
}
