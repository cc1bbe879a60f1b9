/** What the tools that run commands have in common: where, for how long, and with which rights. */
import { describe, enum as oneOf, int, minimum, number, optional, string } from 'zod/mini';

import type { Intent } from '../core/effects.js';
import { ToolFailure } from '../core/errors.js';
import type { JsonObject } from '../core/json-object.js';
import { resolvePath } from '../core/paths.js';
import type { AbsolutePath } from '../core/paths.js';
import type { Offer } from '../core/tool.js';
import type { Selection, ShellType } from '../core/selection.js';
import type { Workspace } from '../core/workspace.js';

const DEFAULT_TIMEOUT_MS = 10_000;

export const whereParameters = () => ({
  workdir: optional(string().check(describe('Folder to run it in. Default: the workspace.'))),
});

export const timeoutParameters = () => ({
  timeout_ms: optional(
    number().check(minimum(1), describe(`Stop it after this many milliseconds. Default ${DEFAULT_TIMEOUT_MS}.`)),
  ),
});

export const outputParameters = () => ({
  max_output_tokens: optional(int().check(minimum(0), describe('Show at most about this many tokens of its output.'))),
});

export const escalationParameters = () => ({
  sandbox_permissions: optional(
    oneOf(['use_default', 'require_escalated']).check(
      describe('require_escalated asks the user to let it run outside of the sandbox.'),
    ),
  ),
  justification: optional(string().check(describe('With require_escalated: why, as a short question to the user.'))),
});

export type Escalation = {
  readonly sandbox_permissions?: 'use_default' | 'require_escalated' | undefined;
  readonly justification?: string | undefined;
};

/** An older spelling of the same request. */
export function repairEscalation({ with_escalated_permissions: escalated, ...raw }: JsonObject): JsonObject {
  return escalated === true ? { sandbox_permissions: 'require_escalated', ...raw } : raw;
}

export function timeoutOf({ timeout_ms: ms }: { readonly timeout_ms?: number | undefined }): number {
  return ms ?? DEFAULT_TIMEOUT_MS;
}

export function folderOf({ workdir }: { readonly workdir?: string | undefined }, workspace: Workspace): AbsolutePath {
  return workdir === undefined || workdir === '' ? workspace.cwd : resolvePath(workspace.cwd, workdir);
}

export function execIntent(argv: readonly string[], cwd: AbsolutePath, escalation: Escalation = {}): Intent {
  if (argv.some((word) => word.includes('\0'))) throw new ToolFailure('the command contains a NUL character');
  return {
    effects: [{ kind: 'exec', argv, cwd }],
    ...(escalation.sandbox_permissions === 'require_escalated' && {
      escalate: { reason: escalation.justification ?? 'the model gave no reason' },
    }),
  };
}

/** Told to models that are set to this kind of shell; the others may call it all the same. */
export function offeredFor(wanted: ShellType): (selection: Selection) => Offer {
  return ({ shellType }) => (shellType === 'disabled' ? 'off' : shellType === wanted ? 'advertised' : 'callable');
}
