/** What a policy asks for, held against what a backend holds to. */
import type { Guarantees, Limits, ResolvedPolicy } from './policy.js';

/** `weaker`: somebody may accept it. `missing`: without it the policy would be a lie. */
export type Shortfall = { readonly kind: 'weaker' | 'missing'; readonly text: string };

export function shortfalls(policy: ResolvedPolicy, has: Guarantees): readonly Shortfall[] {
  return [
    ...lacking(has.writes !== 'enforced', 'missing', 'files outside of the project can be written'),
    ...lacking(has.hiddenPaths !== 'enforced' && policy.hidden.length > 0, 'missing', 'hidden files can be read'),
    ...networkShortfall(policy, has),
    ...lacking(has.protectedPaths === 'open', 'missing', 'protected folders such as .git can be written'),
    ...lacking(
      has.protectedPaths === 'reverted',
      'weaker',
      'changes to protected folders such as .git are undone only when the command has ended',
    ),
    ...lacking(has.metadata === 'open', 'weaker', 'modes, owners and times of files outside can be changed'),
    ...lacking(has.unixSockets === 'open', 'missing', 'services of this machine can be reached through their sockets'),
    ...lacking(
      policy.unixSockets === 'private' && has.unixSockets === 'none',
      'weaker',
      'sockets with a path do not work',
    ),
    ...lacking(
      has.processes === 'unsignalled',
      'weaker',
      'other processes can be seen, and memory that they share be changed',
    ),
    ...lacking(has.processes === 'open', 'weaker', 'other processes can be seen and ended'),
    ...lacking(has.killing !== 'whole', 'weaker', 'what a command starts in the background may outlive it'),
    ...limitShortfalls(policy.limits, has.limits),
  ];
}

function lacking(isLacking: boolean, kind: Shortfall['kind'], text: string): readonly Shortfall[] {
  return isLacking ? [{ kind, text }] : [];
}

function networkShortfall({ network }: ResolvedPolicy, has: Guarantees): readonly Shortfall[] {
  if (network.kind === 'open') return [];
  const wantsHosts = network.allowed.length > 0;
  return [
    ...lacking(has.network === 'open', 'missing', 'the network is open'),
    ...lacking(
      wantsHosts && (has.network === 'none' || has.network === 'loopback'),
      'missing',
      'allowed hosts cannot be reached',
    ),
    ...lacking(has.network === 'none' && !wantsHosts, 'weaker', 'servers on localhost do not work'),
  ];
}

const LIMIT_WORDS: Readonly<Record<keyof Limits, string>> = {
  memoryBytes: 'memory',
  processes: 'the number of processes',
  cpuSeconds: 'processor time',
  fileBytes: 'the size of files',
};

function limitShortfalls(wanted: Limits, held: readonly (keyof Limits)[]): readonly Shortfall[] {
  const names = Object.keys(wanted) as (keyof Limits)[];
  const missing = names.filter((name) => wanted[name] !== undefined && !held.includes(name));
  return missing.map((name) => ({ kind: 'weaker', text: `${LIMIT_WORDS[name]} cannot be limited` }));
}
