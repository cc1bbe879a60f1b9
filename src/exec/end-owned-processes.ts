/** Ends processes of any runtime on this machine, by their marks; nothing else can be named. */
import { endProcesses } from './end-processes.js';
import { ownedProcesses } from './owned-processes.js';
import type { OwnedProcess } from './owned-processes.js';

/** `which` may be asked more than once for the same process. */
export function endOwnedProcesses(which: (process: OwnedProcess) => boolean): Promise<void> {
  return endProcesses(() => ownedProcesses().filter(which));
}
