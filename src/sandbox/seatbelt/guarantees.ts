/** What Seatbelt holds to. It knows neither limits nor process trees of its own. */
import type { Guarantees, ResolvedPolicy } from '../policy.js';
import type { SeatbeltOptions } from './options.js';

export type SeatbeltGuarantees = Guarantees & {
  /** Whether services that the host runs on localhost are within reach: it is not the command's own alone. */
  readonly sharedLoopback: boolean;
};

export function seatbeltGuarantees(resolved: ResolvedPolicy, options: SeatbeltOptions = {}): SeatbeltGuarantees {
  return {
    writes: 'enforced',
    metadata: 'enforced',
    protectedPaths: 'enforced',
    hiddenPaths: 'enforced',
    network: reach(resolved, options),
    unixSockets: resolved.unixSockets === 'private' && options.ownFolder !== undefined ? 'private' : 'none',
    processes: 'unsignalled',
    killing: 'marked',
    limits: [],
    sharedLoopback: resolved.network.kind === 'open' || options.localhost !== false,
  };
}

function reach({ network }: ResolvedPolicy, options: SeatbeltOptions): Guarantees['network'] {
  if (network.kind === 'open') return 'open';
  if (network.allowed.length > 0 && options.proxyPort !== undefined) return 'hosts';
  return options.localhost === false && options.proxyPort === undefined ? 'none' : 'loopback';
}
