/** Approvals given for the session: the same effects under the same permission are not asked for twice. */
import type { ApprovalRequest } from '../core/approval.js';

export interface ApprovalMemory {
  has(request: ApprovalRequest): boolean;
  add(request: ApprovalRequest): void;
}

export function createApprovalMemory(): ApprovalMemory {
  const approved = new Set<string>();
  return {
    has: (request) => approved.has(keyOf(request)),
    add: (request) => void approved.add(keyOf(request)),
  };
}

/** The reason a model gives is left out: it changes from call to call while the act stays the same. */
function keyOf({ call, intent, permission }: ApprovalRequest): string {
  return JSON.stringify([call.name, permission, intent.escalate !== undefined, intent.effects]);
}
