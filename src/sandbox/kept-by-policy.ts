/** Things that are made for one policy and kept for the next command under the same. */
import type { ResolvedPolicy } from './policy.js';

export interface KeptByPolicy<Value> {
  get(policy: ResolvedPolicy): Promise<Value>;
  close(): Promise<void>;
}

type Made<Value> = {
  readonly value: Value;
  /** Resolves once it can no longer be used. */
  readonly ended?: Promise<unknown>;
};

export function keptByPolicy<Value extends { close(): Promise<void> }>(
  make: (policy: ResolvedPolicy) => Promise<Made<Value>>,
): KeptByPolicy<Value> {
  const kept = new Map<string, Promise<Value>>();
  return {
    get(policy) {
      const key = JSON.stringify(policy);
      const forget = (): void => void kept.delete(key);
      const made =
        kept.get(key) ??
        make(policy).then(({ value, ended }) => {
          void ended?.then(forget);
          return value;
        });
      kept.set(key, made);
      made.catch(forget);
      return made;
    },
    async close() {
      const made = await Promise.allSettled(kept.values());
      const values = made.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      await Promise.all(values.map((value) => value.close()));
    },
  };
}
