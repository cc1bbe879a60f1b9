/** The files of this machine as far as a policy lets them be touched, for tools that run in this process. */
import type { Files } from '../../core/files.js';
import type { Denial } from '../../core/workspace.js';
import { ANCHORING_HERE } from '../../files/anchor.js';
import type { Anchoring } from '../../files/anchor.js';
import { machineFiles } from '../../files/machine-files.js';
import type { ResolvedPolicy } from '../policy.js';
import { policyGuard } from './rules.js';

export function confinedFiles(
  resolve: () => Promise<ResolvedPolicy>,
  report: (denial: Denial) => void,
  anchoring: Anchoring = ANCHORING_HERE,
): Files {
  return machineFiles({ anchoring, guard: async () => policyGuard(await resolve(), report) });
}
