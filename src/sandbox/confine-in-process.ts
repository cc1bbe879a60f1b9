/**
 * The confinement that needs no help from the system: a workspace that can read but starts no program. It stands
 * in wherever no sandbox for commands is available, so that nothing ever runs unconfined by accident.
 */
import { Rejected } from '../core/errors.js';
import type { Confine } from '../core/workspace.js';

export const NO_SANDBOX_REASON =
  'there is no sandbox for commands in this version. Sandbox mode danger-full-access runs them without one';

/** Every member is named, so that whoever adds a way to act has to decide here what it may do. */
export const confineInProcess: Confine = (workspace) => ({
  cwd: workspace.cwd,
  files: { open: (path) => workspace.files.open(path) },
  shellCommand: (script, options) => workspace.shellCommand(script, options),
  spawn: () => Promise.reject(new Rejected('policy', `sandbox could not start: ${NO_SANDBOX_REASON}.`)),
});
