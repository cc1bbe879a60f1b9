/** For backends that keep a command from things but do not see what it tried. */
import type { Process } from '../core/workspace.js';
import type { ConfinedProcess } from './backend.js';

export function nothingSeen(process: Process): ConfinedProcess {
  return {
    process,
    settle: async (exit) => ({ exit, connections: [], refusedHosts: [], askedNames: [], shared: false, paths: [] }),
  };
}
