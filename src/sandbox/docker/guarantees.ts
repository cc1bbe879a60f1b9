/** What a container holds to. */
import type { Guarantees, Limits, ResolvedPolicy } from '../policy.js';
import type { Engine } from './probe-engine.js';

export function dockerGuarantees({ network, limits }: ResolvedPolicy, engine: Engine): Guarantees {
  return {
    writes: 'enforced',
    metadata: 'enforced',
    protectedPaths: 'enforced',
    hiddenPaths: 'enforced',
    // No proxy reaches inside, so a list of hosts is no more than an empty one.
    network: network.kind === 'open' ? 'open' : 'loopback',
    unixSockets: 'private',
    // From those of the host. Commands of one container see each other.
    processes: 'isolated',
    // The container outlives its commands: what drops both its session and its mark is gone only with it.
    killing: 'marked',
    limits: LIMITS.filter((name) => limits[name] !== undefined && (!isOfEngine(name) || engine.limits.includes(name))),
  };
}

const LIMITS: readonly (keyof Limits)[] = ['memoryBytes', 'processes', 'cpuSeconds', 'fileBytes'];

/** The others are set by the shell that becomes the command. */
function isOfEngine(name: keyof Limits): name is 'memoryBytes' | 'processes' {
  return name === 'memoryBytes' || name === 'processes';
}
