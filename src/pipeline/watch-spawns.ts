/** Knows which programs of a workspace still run, and can end them: what they change must have come to an end. */
import { Aborted } from '../core/errors.js';
import type { Process, Workspace } from '../core/workspace.js';
import { workspaceWith } from '../core/workspace-with.js';

export interface SpawnWatch {
  readonly workspace: Workspace;
  /** Those that were started and have not ended. From now on none can be started. */
  close(): Promise<readonly Process[]>;
}

export function watchSpawns(workspace: Workspace): SpawnWatch {
  const starting = new Set<Promise<unknown>>();
  const running = new Set<Process>();
  let closed = false;

  async function start(command: Parameters<Workspace['spawn']>[0]): Promise<Process> {
    const process = await workspace.spawn(command);
    running.add(process);
    void process.exit.then(() => running.delete(process));
    return process;
  }

  return {
    workspace: workspaceWith(workspace, {
      async spawn(command) {
        if (closed) throw new Aborted();
        const process = start(command);
        starting.add(process);
        try {
          return await process;
        } finally {
          starting.delete(process);
        }
      },
    }),
    async close() {
      closed = true;
      await Promise.allSettled(starting);
      return [...running];
    },
  };
}

/** Resolves once they are gone, with all they started. */
export async function endAll(processes: readonly Process[]): Promise<void> {
  await Promise.all(
    processes.map(async (process) => {
      await process.end();
      await process.exit;
    }),
  );
}
