/** From intent to permit: the judge decides, and where it cannot, somebody is asked. Everything else is no. */
import type { Grant, Judge, Verdict } from '../core/effects.js';
import { Aborted, ConfigError, Fatal, Rejected, messageOf } from '../core/errors.js';
import type { EventBody } from '../core/events.js';
import { isJsonObject } from '../core/json-object.js';
import { ask } from './ask.js';
import type { Answerers, Subject } from './ask.js';
import { underSetting } from './previewable.js';
import type { Permit } from './previewable.js';

export type Authority = Answerers & { readonly judge: Judge };

export type AuthorizationRequest = Subject & {
  /** Rights that a first attempt was proven to lack. */
  readonly missing: readonly Grant[];
};

/** Resolves to how the call may run; throws `Rejected`, `Aborted` or `Fatal` when it may not. */
export async function authorize(request: AuthorizationRequest, authority: Authority): Promise<Permit> {
  const { intent } = request;
  const { preview } = authority;
  const verdict = await reachVerdict(request, authority.judge);
  authority.emit(verdictEvent(request, verdict));
  switch (verdict.kind) {
    case 'allow':
      return underSetting(permitBy(verdict), intent, preview);
    case 'deny':
      throw new Rejected('policy', verdict.reason);
    case 'ask':
      return underSetting(await ask(request, verdict, authority), intent, preview);
  }
}

function permitBy(verdict: Extract<Verdict, { kind: 'allow' }>): Permit {
  const { confined, grants, harmless = false } = verdict;
  return { confined, grants, preview: false, harmless };
}

/** A policy that crashes, or says something that cannot be understood, has not said yes. */
async function reachVerdict({ intent, missing, cancellation }: AuthorizationRequest, judge: Judge): Promise<Verdict> {
  try {
    const verdict: unknown = await cancellation.unlessAborted(() => judge(intent, missing));
    return isVerdict(verdict) ? verdict : policyFailed('it gave no usable verdict');
  } catch (error) {
    if (error instanceof Aborted) throw error;
    // Rules that cannot be read are for the user to mend; the model could only try the next call.
    if (error instanceof ConfigError) throw new Fatal(messageOf(error), { cause: error });
    return policyFailed(messageOf(error));
  }
}

function isVerdict(value: unknown): value is Verdict {
  if (!isJsonObject(value) || !isJsonObject(value['rule'])) return false;
  if (value['kind'] === 'deny') return typeof value['reason'] === 'string';
  if (typeof value['confined'] !== 'boolean' || !Array.isArray(value['grants'])) return false;
  return value['kind'] === 'allow' || (value['kind'] === 'ask' && isQuestion(value));
}

function isQuestion({ reason, proposal, keys }: Readonly<Record<string, unknown>>): boolean {
  if (typeof reason !== 'string' || !(proposal === undefined || Array.isArray(proposal))) return false;
  return keys === undefined || (Array.isArray(keys) && keys.every((key) => typeof key === 'string'));
}

function policyFailed(why: string): Verdict {
  const reason = `the policy failed: ${why}. To be safe, the call was not run.`;
  return { kind: 'deny', reason, rule: { name: 'policy-failed' } };
}

function verdictEvent({ call, intent }: AuthorizationRequest, verdict: Verdict): EventBody {
  return {
    type: 'verdict.reached',
    callId: call.id,
    verdict: verdict.kind,
    confined: verdict.kind !== 'deny' && verdict.confined,
    reason: verdict.kind === 'allow' ? undefined : verdict.reason,
    rule: verdict.rule,
    effects: intent.effects,
    findings: verdict.findings,
  };
}
