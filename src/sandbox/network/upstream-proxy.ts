/** The proxy that this machine itself has to use, from its environment. */
import type { NetworkProxyOptions } from './proxy.js';

const VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'];

/** Only one that is spoken to in plain HTTP can be used; another is as good as none. */
export function upstreamProxy(env: Readonly<Record<string, string | undefined>>): NetworkProxyOptions {
  const urls = VARIABLES.flatMap((name) => (URL.canParse(env[name] ?? '') ? [new URL(env[name] ?? '')] : []));
  const upstream = urls.find(({ protocol }) => protocol === 'http:');
  return upstream === undefined ? {} : { upstream };
}
