/** When a person is asked. The other words are what earlier tools called the same thing. */

export const APPROVAL_POLICIES = ['always', 'untrusted', 'on-request', 'on-failure', 'never'] as const;
export type ApprovalPolicy = (typeof APPROVAL_POLICIES)[number];
export const DEFAULT_APPROVAL_POLICY: ApprovalPolicy = 'on-request';

const ALIASES: Readonly<Record<string, ApprovalPolicy>> = {
  none: 'never',
  required: 'always',
  sandbox: 'on-failure',
};

/** Every word that is understood. */
export const APPROVAL_WORDS = [...APPROVAL_POLICIES, ...Object.keys(ALIASES)];

export function toApprovalPolicy(word: string): ApprovalPolicy | undefined {
  return (
    APPROVAL_POLICIES.find((policy) => policy === word) ?? (Object.hasOwn(ALIASES, word) ? ALIASES[word] : undefined)
  );
}
