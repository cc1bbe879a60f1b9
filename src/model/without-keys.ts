/** Keeps what only the model's server may know from commands: what one prints is sent, told and kept. */
import type { EnvironmentPolicy } from '../core/environment-policy.js';
import type { Provider } from '../core/provider.js';

/** Whatever the variables are called. Who wants commands to have secrets gets them all. */
export function withoutKeys(
  policy: EnvironmentPolicy,
  { key, headersFromEnvironment }: Pick<Provider, 'key' | 'headersFromEnvironment'>,
): EnvironmentPolicy {
  if (policy.ignoreDefaultExcludes) return policy;
  const names = [...(key === undefined ? [] : [key.variable]), ...Object.values(headersFromEnvironment)];
  return { ...policy, exclude: [...policy.exclude, ...names] };
}
