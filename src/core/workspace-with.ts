/** The same workspace but for some of its parts. Nothing of it is spread: whoever made it may have used a class. */
import type { Workspace } from './workspace.js';

type Parts = Partial<Pick<Workspace, 'files' | 'spawn'>> & {
  /** When it is named here, the new one cannot. */
  readonly prepare?: undefined;
};

export function workspaceWith(workspace: Workspace, parts: Parts): Workspace {
  const prepare = 'prepare' in parts ? undefined : workspace.prepare?.bind(workspace);
  const getReady = workspace.getReady?.bind(workspace);
  const companion = workspace.companion?.bind(workspace);
  return {
    cwd: workspace.cwd,
    files: parts.files ?? workspace.files,
    spawn: parts.spawn ?? ((command) => workspace.spawn(command)),
    shellCommand: (script, options) => workspace.shellCommand(script, options),
    ...(prepare && { prepare }),
    ...(getReady && { getReady }),
    ...(companion && { companion }),
  };
}
