/** The flags of `tenon exec`. Those that scripts have for `codex exec` mean the same here. */
import type { ColorChoice } from './paint.js';
import type { PolicyFlags } from '../read-config.js';

export type ExecFlags = PolicyFlags & {
  readonly json?: boolean;
  readonly experimentalJson?: boolean;
  readonly outputLastMessage?: string;
  readonly outputSchema?: string;
  readonly image: readonly string[];
  readonly model?: string;
  readonly profile?: string;
  readonly addDir: readonly string[];
  readonly oss?: boolean;
  readonly localProvider?: string;
  readonly search?: boolean;
  readonly maxRequests?: string;
  readonly maxTime?: string;
  readonly enable: readonly string[];
  readonly disable: readonly string[];
  readonly fullAuto?: boolean;
  readonly dangerouslyBypassApprovalsAndSandbox?: boolean;
  readonly strictConfig?: boolean;
  readonly ignoreUserConfig?: boolean;
  readonly ignoreRules?: boolean;
  readonly ephemeral?: boolean;
  readonly record?: string;
  readonly color: ColorChoice;
};

export function wantsJson({ json, experimentalJson }: ExecFlags): boolean {
  return json === true || experimentalJson === true;
}

/** Whether `-c` says something about a key of the top level. */
export function says({ config }: Pick<ExecFlags, 'config'>, key: string): boolean {
  return config.some((each) => new RegExp(`^\\s*${key}\\s*=`).test(each));
}
