/**
 * Approvals given for the session, one by one for everything a call would do: another call is covered when each of
 * its parts was approved, confined or not as now, with at least the rights it would get now.
 */
import type { ApprovalRequest } from '../core/approval.js';
import { effectKey } from '../core/effect-key.js';
import type { Effect } from '../core/effects.js';

type Approvable = Pick<ApprovalRequest, 'call' | 'intent' | 'permission'> & {
  /** What it consists of. Default: its effects. */
  readonly keys?: readonly string[] | undefined;
};

export interface ApprovalMemory {
  covers(approvable: Approvable): boolean;
  add(approvable: Approvable): void;
}

export function createApprovalMemory(): ApprovalMemory {
  /** For each key the sets of grants it was approved with; they are not added up, because nobody saw the sum. */
  const approved = new Map<string, ReadonlySet<string>[]>();
  return {
    covers(approvable) {
      const wanted = grantsOf(approvable);
      return keysOf(approvable).every((key) => approved.get(key)?.some((given) => isWithin(wanted, given)));
    },
    add(approvable) {
      const given = grantsOf(approvable);
      for (const key of keysOf(approvable)) {
        const others = approved.get(key)?.filter((before) => !isWithin(before, given)) ?? [];
        approved.set(key, [...others, given]);
      }
    },
  };
}

function grantsOf({ permission }: Approvable): ReadonlySet<string> {
  return new Set(permission.grants.map((grant) => JSON.stringify(grant)));
}

function isWithin(some: ReadonlySet<string>, all: ReadonlySet<string>): boolean {
  return [...some].every((each) => all.has(each));
}

/**
 * At least one, because nothing at all would be covered by anything. The reason a model gives for leaving the sandbox
 * is left out: it changes from call to call while the act stays the same.
 */
function keysOf({ call, intent, permission, keys = [] }: Approvable): readonly string[] {
  const own = keys.length > 0 ? keys.map((key) => ['key', key]) : intent.effects.map((each) => partOf(each, call.name));
  const parts = own.length > 0 ? own : [['tool', call.name]];
  return parts.map((part) => JSON.stringify([permission.confined, intent.escalate !== undefined, part]));
}

/** Of an effect that nobody knows, the tool is part as well. */
function partOf(effect: Effect, tool: string): readonly unknown[] {
  const key = effectKey(effect);
  return key[0] === 'other' ? [...key, tool] : key;
}
