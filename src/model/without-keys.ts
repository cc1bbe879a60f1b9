/** Keeps what only servers may know from commands: what one prints is sent, told and kept. */
import type { EnvironmentPolicy } from '../core/environment-policy.js';
import type { Provider } from '../core/provider.js';

/** The variables that hold what is sent to this server to be let in. */
export function keyVariables({
  key,
  headersFromEnvironment,
}: Pick<Provider, 'key' | 'headersFromEnvironment'>): readonly string[] {
  return [...(key === undefined ? [] : [key.variable]), ...Object.values(headersFromEnvironment)];
}

/** Whatever the variables are called. Who wants commands to have secrets gets them all. */
export function withoutKeys(policy: EnvironmentPolicy, variables: readonly string[]): EnvironmentPolicy {
  return policy.ignoreDefaultExcludes ? policy : { ...policy, exclude: [...policy.exclude, ...variables] };
}
