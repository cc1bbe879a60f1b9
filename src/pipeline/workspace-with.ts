/** The same workspace but for some of its parts. Nothing is spread: whoever made it may have used a class. */
import type { Workspace } from '../core/workspace.js';

export function workspaceWith(
  workspace: Workspace,
  {
    files = workspace.files,
    spawn = (command) => workspace.spawn(command),
  }: Partial<Pick<Workspace, 'files' | 'spawn'>>,
): Workspace {
  const prepare = workspace.prepare?.bind(workspace);
  const companion = workspace.companion?.bind(workspace);
  return {
    cwd: workspace.cwd,
    files,
    spawn,
    shellCommand: (script, options) => workspace.shellCommand(script, options),
    ...(prepare && { prepare }),
    ...(companion && { companion }),
  };
}
