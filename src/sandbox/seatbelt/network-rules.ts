/** Who may be talked to. Sockets with a path are a matter of their own: an open network does not open the host's. */
import type { ResolvedPolicy, UnixSockets } from '../policy.js';
import { filter } from './file-rules.js';
import type { SeatbeltOptions } from './options.js';
import type { Subject } from './subjects.js';

export function networkRules(
  resolved: ResolvedPolicy,
  options: SeatbeltOptions,
  own: readonly Subject[],
): readonly string[] {
  const internet = resolved.network.kind === 'open' ? OPEN : loopback(options);
  return ['; Network', ...internet, ...proxy(resolved, options), ...unixSockets(resolved.unixSockets, own)];
}

// Names are looked up by mDNSResponder. The services say which network there is and judge certificates; judging can
// make trustd fetch addresses that a certificate names, so they belong to an open network only.
const OPEN = [
  '(allow network-outbound (remote ip "*:*") (literal "/private/var/run/mDNSResponder"))',
  '(allow network-bind network-inbound (local ip "*:*"))',
  '(allow system-socket)',
  '(allow mach-lookup',
  '  (global-name "com.apple.SystemConfiguration.configd")',
  '  (global-name "com.apple.SystemConfiguration.DNSConfiguration")',
  '  (global-name "com.apple.networkd")',
  '  (global-name "com.apple.trustd")',
  '  (global-name "com.apple.trustd.agent"))',
];

const LOCALHOST = [
  '(allow network-outbound (remote ip "localhost:*"))',
  '(allow network-bind network-inbound (local ip "localhost:*"))',
];

function loopback({ localhost = true }: SeatbeltOptions): readonly string[] {
  return localhost ? LOCALHOST : [];
}

function proxy({ network }: ResolvedPolicy, { proxyPort }: SeatbeltOptions): readonly string[] {
  if (network.kind === 'open' || proxyPort === undefined) return [];
  if (!Number.isInteger(proxyPort) || proxyPort < 1 || proxyPort > 65_535) {
    throw new RangeError(`not a port: ${proxyPort}`);
  }
  return [`(allow network-outbound (remote ip "localhost:${proxyPort}"))`];
}

/** Without a folder of its own there is no place that surely holds no socket of somebody else. */
function unixSockets(allowed: UnixSockets, own: readonly Subject[]): readonly string[] {
  if (allowed === 'none' || own.length === 0) return [];
  return [
    '(allow system-socket (socket-domain AF_UNIX))',
    ...own.flatMap((folder) => [
      `(allow network-outbound (remote unix-socket ${filter(folder)}))`,
      `(allow network-bind network-inbound (local unix-socket ${filter(folder)}))`,
    ]),
  ];
}
