/** What the steps of one access share. */
import type { FileProblem } from '../../core/file-problem.js';
import type { AbsolutePath } from '../../core/paths.js';
import type { ResolvedPolicy } from '../policy.js';
import type { Anchoring } from './anchor.js';

export type Confinement = {
  /** As it was asked for. */
  readonly path: AbsolutePath;
  readonly policy: ResolvedPolicy;
  readonly anchoring: Anchoring;
  /** Reports what was stopped and gives the problem to throw. */
  readonly deny: (kind: 'read' | 'write', target: AbsolutePath) => FileProblem;
};
