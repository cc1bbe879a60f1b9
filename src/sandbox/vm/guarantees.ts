/**
 * What the virtual machine holds to. Files are guarded on the host, in the view that is served to the guest, so they
 * stay guarded even when the guest's own kernel has been taken over.
 */
import type { Guarantees, ResolvedPolicy } from '../policy.js';

/** It has no list of hosts: where one is asked for, there is no network but the guest's own. */
export function vmGuarantees({ network }: Pick<ResolvedPolicy, 'network'>): Guarantees {
  return {
    writes: 'enforced',
    metadata: 'enforced',
    protectedPaths: 'enforced',
    hiddenPaths: 'enforced',
    network: network.kind === 'open' ? 'open' : 'loopback',
    unixSockets: 'private',
    processes: 'isolated',
    killing: 'whole',
    limits: ['memoryBytes', 'processes', 'cpuSeconds', 'fileBytes'],
  };
}
