/** Which backend confines commands here: the first of the ladder that holds to everything, else the best there is. */
import { shortfalls } from './guarantees.js';
import type { Shortfall } from './guarantees.js';
import type { Backend, BackendName } from './backend.js';
import type { ResolvedPolicy } from './policy.js';

/** A backend that could be used, or why it cannot. */
export type Candidate =
  | { readonly kind: 'works'; readonly backend: Backend }
  | { readonly kind: 'broken'; readonly name: BackendName; readonly reason: string };

export type Choice =
  | { readonly kind: 'chosen'; readonly backend: Backend; readonly weaker: readonly string[] }
  | { readonly kind: 'none'; readonly reason: string };

/** `named`: somebody has asked for this very backend, and so accepts what is weaker in it. */
export function chooseBackend(candidates: readonly Candidate[], policy: ResolvedPolicy, named: boolean): Choice {
  const working = candidates.flatMap((each) => (each.kind === 'works' ? [rate(each.backend, policy)] : []));
  const [best] = working
    .filter(({ missing }) => missing.length === 0)
    .toSorted((a, b) => a.weaker.length - b.weaker.length);
  if (best !== undefined) return { kind: 'chosen', backend: best.backend, weaker: named ? [] : best.weaker };
  const reasons = [...candidates.flatMap(whyBroken), ...working.map(whyNot)];
  return { kind: 'none', reason: reasons.join('; ') || 'there is no sandbox for this system' };
}

type Rated = { readonly backend: Backend; readonly weaker: readonly string[]; readonly missing: readonly string[] };

function rate(backend: Backend, policy: ResolvedPolicy): Rated {
  const found = shortfalls(policy, backend.guarantees(policy));
  return { backend, weaker: textsOf(found, 'weaker'), missing: textsOf(found, 'missing') };
}

function textsOf(found: readonly Shortfall[], kind: Shortfall['kind']): readonly string[] {
  return found.filter((each) => each.kind === kind).map(({ text }) => text);
}

function whyBroken(candidate: Candidate): readonly string[] {
  return candidate.kind === 'broken' ? [`${candidate.name}: ${candidate.reason}`] : [];
}

function whyNot({ backend, missing }: Rated): string {
  return `${backend.name}: ${missing.join(', ')}`;
}
