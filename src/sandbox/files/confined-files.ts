/**
 * The files of this machine as far as a policy lets them be touched, for tools that run in this process. A place is
 * opened first, then asked where it is, and only then used, through what was opened. A name is never trusted twice.
 */
import { FileProblem, fileProblem } from '../../core/file-problem.js';
import { isInside } from '../../core/paths.js';
import type { AbsolutePath } from '../../core/paths.js';
import type { Denial, Files } from '../../core/workspace.js';
import type { ResolvedPolicy } from '../policy.js';
import { BY_DESCRIPTOR, BY_NAME, Moved } from './anchor.js';
import type { Anchoring } from './anchor.js';
import type { Confinement } from './confinement.js';
import { openConfined } from './open-confined.js';
import { writeConfined } from './write-confined.js';

/** Enough for a file that is being saved while it is read; somebody who never stops is not waited for. */
const ATTEMPTS = 20;

export function confinedFiles(
  resolve: () => Promise<ResolvedPolicy>,
  report: (denial: Denial) => void,
  anchoring: Anchoring = process.platform === 'linux' ? BY_DESCRIPTOR : BY_NAME,
): Files {
  const confine = async (path: AbsolutePath): Promise<Confinement> => ({
    path,
    policy: await resolve(),
    anchoring,
    deny: (kind, target) => {
      report({ kind, target, proof: 'broker' });
      return new FileProblem('forbidden', path);
    },
  });
  return {
    open: (path) => untilStill(path, async () => openConfined(refuseHiddenName('read', await confine(path)))),
    write: (path, content) =>
      untilStill(path, async () => writeConfined(refuseHiddenName('write', await confine(path)), content)),
  };
}

/** So that not even the names in a hidden folder can be guessed from what is missing. */
function refuseHiddenName(kind: 'read' | 'write', confinement: Confinement): Confinement {
  const { path, policy, deny } = confinement;
  if (policy.hidden.some((place) => isInside(place.path, path))) throw deny(kind, path);
  return confinement;
}

async function untilStill<T>(path: AbsolutePath, attempt: () => Promise<T>): Promise<T> {
  for (let left = ATTEMPTS; ; left -= 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Moved)) throw fileProblem(error, path);
      if (left === 0) throw new FileProblem('broken', path, 'it is being moved', { cause: error });
    }
  }
}
