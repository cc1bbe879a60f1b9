/**
 * Filters of system calls, for the kernel to keep over a command and all it starts. What is refused fails with `EPERM`;
 * calls newer than our table do not exist, so that a way around cannot come with an update of the kernel.
 */
import { SECCOMP_FILTER_FLAG_NEW_LISTENER, SECCOMP_SET_MODE_FILTER } from './flags.js';
import { denialRules } from './seccomp-denied.js';
import { modeRules, othersRules, truncationRules } from './seccomp-modes.js';
import { ALLOW, compileRules, KILL_PROCESS, NOT_IMPLEMENTED, NOT_PERMITTED } from './seccomp-rules.js';
import type { Rule } from './seccomp-rules.js';
import { socketRules } from './seccomp-sockets.js';
import { watchRules } from './seccomp-watched.js';
import type { Watched } from './seccomp-watched.js';
import type { Architecture } from './system-calls.js';

export type FilterOptions = {
  readonly architecture: Architecture;
  /**
   * `all-namespaced`: the network is the command's own. `open`: it is everybody's. `reported`: a filter that was loaded
   * before reports internet sockets, and its listener refuses them; a refusal here would hide them from it. Without
   * that other filter `reported` lets them pass.
   */
  readonly sockets: 'all-namespaced' | 'none' | 'open' | 'reported';
  /** Whether sockets with a path can be made; connected pairs always can. */
  readonly unixSockets: boolean;
  /** No set-user-id files and no devices, for where no mount takes their meaning away. */
  readonly guardModes?: boolean;
  /** No file is cut short except through a descriptor that is open for writing. */
  readonly guardTruncation?: boolean;
  /** Limits, priorities and processors of other processes stay as they are. */
  readonly guardOthers?: boolean;
};

/** As an array of `struct sock_filter`. */
export function compileFilter(options: FilterOptions): Uint8Array {
  const {
    architecture,
    sockets,
    unixSockets,
    guardModes = false,
    guardTruncation = false,
    guardOthers = false,
  } = options;
  return compileRules({
    architecture,
    foreign: KILL_PROCESS,
    unknown: NOT_IMPLEMENTED,
    rules: [
      ...denialRules(),
      ...(guardModes ? modeRules() : []),
      ...(guardTruncation ? truncationRules() : []),
      ...(guardOthers ? othersRules() : []),
      ...(sockets === 'reported' ? [NO_OTHER_LISTENER] : []),
      ...socketRules({
        internet: sockets !== 'none',
        interfaces: sockets === 'all-namespaced' || sockets === 'open',
        unix: unixSockets,
      }),
    ],
  });
}

/**
 * Of two filters that report a call the newer one is heard. Once our listener is gone, what is left of a command could
 * load its own and permit itself what ours refused.
 */
const NO_OTHER_LISTENER: Rule = {
  call: 'seccomp',
  when: [
    { argument: 0, oneOf: [SECCOMP_SET_MODE_FILTER] },
    { argument: 1, anyBitOf: SECCOMP_FILTER_FLAG_NEW_LISTENER },
  ],
  action: NOT_PERMITTED,
};

export type NotifyFilterOptions = { readonly architecture: Architecture; readonly calls: readonly Watched[] };

/** Only reports, beside another filter that refuses; what that one refuses is not reported. */
export function compileNotifyFilter({ architecture, calls }: NotifyFilterOptions): Uint8Array {
  return compileRules({ architecture, foreign: ALLOW, unknown: ALLOW, rules: watchRules(calls) });
}
