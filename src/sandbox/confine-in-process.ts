/**
 * The confinement of a workspace that is not this machine: it can read, write where the profile says, and starts no
 * program, because nothing is known that could hold one there. Whoever has a sandbox for it gives their own `confine`.
 */
import { Rejected } from '../core/errors.js';
import { FileProblem } from '../core/file-problem.js';
import { isInside } from '../core/paths.js';
import type { AbsolutePath } from '../core/paths.js';
import type { Confine, Profile } from '../core/workspace.js';

export const NO_SANDBOX_REASON =
  'there is no sandbox for commands in a workspace that is not this machine. Give one, or use sandbox mode danger-full-access';

/** Every member is named, so that whoever adds a way to act has to decide here what it may do. */
export const confineInProcess: Confine = (workspace, profile, report) => ({
  cwd: workspace.cwd,
  files: {
    open: (path) => workspace.files.open(path),
    look: (path) => workspace.files.look(path),
    list: (path) => workspace.files.list(path),
    async change(changes) {
      const refused = changes.find(({ path }) => !mayWrite(profile, path));
      if (refused === undefined) return workspace.files.change(changes);
      report({ kind: 'write', target: refused.path, proof: 'broker' });
      throw new FileProblem('forbidden', refused.path);
    },
  },
  ...(workspace.companion && { companion: workspace.companion.bind(workspace) }),
  shellCommand: (script, options) => workspace.shellCommand(script, options),
  spawn: () => Promise.reject(new Rejected('policy', `sandbox could not start: ${NO_SANDBOX_REASON}.`)),
});

/** Paths of another machine are what they are called. */
function mayWrite({ mode, writableRoots, grants }: Profile, target: AbsolutePath): boolean {
  const granted = grants.flatMap((grant) => (grant.kind === 'write' ? [grant.path] : []));
  return [...granted, ...(mode === 'read-only' ? [] : writableRoots)].some((place) => isInside(place, target));
}
