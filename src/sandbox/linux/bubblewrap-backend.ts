/** Commands in bubblewrap, with our runner inside of it. */
import type { Backend } from '../backend.js';
import { keepLatest } from '../keep-latest.js';
import type { Runner } from '../runner/runner.js';
import { bubblewrapArguments, bubblewrapGuarantees, compileInside } from './bubblewrap.js';
import { evidenceFor } from './launch.js';
import type { Abilities } from './launch.js';
import { withoutResolver } from './resolver-file.js';
import { startThroughRunner } from './start-through-runner.js';

export type BubblewrapBackendOptions = {
  readonly runner: Runner;
  readonly abilities: Abilities;
  readonly file: string;
};

export function createBubblewrapBackend({ runner, abilities, file }: BubblewrapBackendOptions): Backend {
  const beginnings = keepLatest(compileInside);
  return {
    name: 'bubblewrap',
    writeError: 'EROFS',
    guarantees: (policy) => ({
      ...bubblewrapGuarantees(policy),
      limits: (['cpuSeconds', 'fileBytes'] as const).filter((name) => policy.limits[name] !== undefined),
    }),
    async start({ command, workspace, policy: asked, watchPaths }) {
      const policy = asked.network.kind === 'open' ? asked : withoutResolver(asked);
      const before = bubblewrapArguments(policy, { file, terminal: command.terminal !== undefined });
      const started = await startThroughRunner({
        command,
        workspace,
        runner,
        before,
        env: {},
        descriptors: [],
        beginning: beginnings.get({
          policy,
          abilities,
          groups: [],
          evidence: evidenceFor(policy, watchPaths, abilities),
        }),
      });
      return {
        process: started.process,
        settle: async (exit) => ({ ...started.told(exit), refusedHosts: [], askedNames: [], shared: false }),
      };
    },
    close: async () => {},
  };
}
