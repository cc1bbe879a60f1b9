/** This machine as it is, unconfined: where calls run in full access, and what every sandbox starts from. */
import { Aborted } from '../core/errors.js';
import { once } from '../core/once.js';
import type { AbsolutePath } from '../core/paths.js';
import type { ProcessOwner, Workspace } from '../core/workspace.js';
import type { CommandStarter, StarterOptions } from './command-starter.js';
import { localFiles } from './local-files.js';
import { shellFinder } from './shell.js';

export type LocalWorkspaceOptions = StarterOptions & {
  /** False makes every shell a plain one. Default true. */
  readonly allowLoginShell?: boolean;
};

export type LocalWorkspace = Workspace & ProcessOwner;

export function createLocalWorkspace(cwd: AbsolutePath, options: LocalWorkspaceOptions = {}): LocalWorkspace {
  // Loaded with the first command, because most runs of the program start none.
  let starter: Promise<CommandStarter> | undefined;
  let closed = false;
  const load = async (): Promise<CommandStarter> => {
    try {
      return (await import('./command-starter.js')).createCommandStarter(options);
    } catch (error) {
      starter = undefined;
      throw error;
    }
  };

  const started = async (): Promise<CommandStarter> => {
    if (closed) throw new Aborted();
    return (starter ??= load());
  };

  const companions = once(async () => (await import('./companions.js')).createCompanions(options));

  return {
    cwd,
    files: localFiles,
    spawn: async (command) => (await started()).start(command),
    prepare: async (command) => (await started()).prepare(command),
    getReady() {
      // Whatever fails here fails again when it is needed, and is told then.
      if (starter === undefined)
        started().then(
          (made) => made.getReady(),
          () => {},
        );
    },
    shellCommand: shellFinder(options.allowLoginShell ?? true),
    companion: async (name) => (await companions())(name),
    processes: async () => (await starter)?.processes() ?? [],
    async close() {
      closed = true;
      await (await starter)?.close();
    },
  };
}
