/** What the model may do, in one message of ours: how it is confined, and when a person is asked. */
import type { SandboxMode } from '../core/workspace.js';
import { tagText } from './tag-text.js';

export type PermissionsContext = {
  readonly sandboxMode: SandboxMode;
  readonly approvalPolicy: keyof typeof ASKING;
  /** Whether commands reach every host. */
  readonly network: boolean;
  /** Hosts that they reach otherwise. */
  readonly allowedHosts: readonly string[];
  readonly writableRoots: readonly string[];
};

export function permissionsText(context: PermissionsContext): string {
  const parts = [sandboxText(context), networkText(context), approvalText(context), leavingText(context)];
  const text = parts.filter((part) => part !== undefined).join('\n\n');
  return `<permissions instructions>\n${text}\n</permissions instructions>`;
}

function sandboxText({ sandboxMode, writableRoots }: PermissionsContext): string {
  switch (sandboxMode) {
    case 'danger-full-access':
      return 'Sandbox mode: `danger-full-access`. Nothing is confined: commands have all rights of the user. Be careful.';
    case 'read-only':
      return 'Sandbox mode: `read-only`. Files can be read, except some that hold secrets. None can be changed.';
    case 'workspace-write':
      return [
        'Sandbox mode: `workspace-write`. Files can be read, except some that hold secrets. They can be changed in folders for temporary files and below these, except what decides what may run there (such as `.git` and `.tenon`):',
        ...writableRoots.map((root) => `- ${tagText(root)}`),
      ].join('\n');
  }
}

function networkText({ sandboxMode, network, allowedHosts }: PermissionsContext): string | undefined {
  if (sandboxMode === 'danger-full-access') return undefined;
  if (network) return 'Network access: on.';
  if (allowedHosts.length === 0) return 'Network access: off.';
  return `Network access: only to ${allowedHosts.map(tagText).join(', ')}.`;
}

function approvalText({ sandboxMode, approvalPolicy }: PermissionsContext): string {
  const isFree = sandboxMode === 'danger-full-access' && approvalPolicy in WITHOUT_SANDBOX;
  const asking = isFree ? WITHOUT_SANDBOX[approvalPolicy] : ASKING[approvalPolicy];
  return [`Approval policy: \`${approvalPolicy}\`.`, asking, approvalPolicy === 'never' ? NOBODY : ALWAYS_ASKED].join(
    ' ',
  );
}

/** Elsewhere such a request is refused, or there is nothing to leave. */
function leavingText({ sandboxMode, approvalPolicy }: PermissionsContext): string | undefined {
  const isRefused = approvalPolicy === 'never' || approvalPolicy === 'on-failure';
  return isRefused || sandboxMode === 'danger-full-access' ? undefined : HOW_TO_LEAVE;
}

const ASKING = {
  never: 'Nobody can be asked. What would need an approval is refused, such as leaving the sandbox: do not ask for it.',
  'on-failure':
    'Everything runs confined. When the sandbox stops something, the user is asked about exactly what was missing. You cannot ask to leave the sandbox yourself.',
  'on-request':
    'What is allowed here runs at once. When the sandbox stops something, the user may be asked about exactly what was missing; you may also ask yourself.',
  untrusted: 'The user is asked before anything runs that is not known to do no more than read.',
  always: 'The user is asked before anything that changes something.',
} as const;

const WITHOUT_SANDBOX: Readonly<Record<string, string>> = {
  never:
    'Nobody can be asked. Commands that destroy things, and those that a rule of the user singles out, are refused.',
  'on-failure': 'Commands run at once.',
  'on-request': 'Commands run at once.',
};

const NOBODY = 'Find a way that is allowed, or say at the end what could not be done.';

const ALWAYS_ASKED =
  'Commands that destroy things, and those that a rule of the user singles out, are asked about in any case.';

const HOW_TO_LEAVE =
  'To ask for a command to run outside of the sandbox, give it `sandbox_permissions: "require_escalated"` and a `justification`: one short question to the user that says what for. Ask only for what the task needs and the sandbox would stop, such as a change elsewhere or a download, and for a narrow command rather than a script that does many things.';
