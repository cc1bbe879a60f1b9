/** Which of the paths that a command was seen trying to change it was kept from by the sandbox. */
import type { AbsolutePath } from '../../core/paths.js';
import type { Denial } from '../../core/workspace.js';
import { judgeWrite } from './judge-write.js';
import type { JudgedWorld } from './judge-write.js';

const MOST_DENIALS = 8;

/** Devices and processes are the command's own. */
const OWN = /^\/(?:dev|proc)(?:\/|$)/;

/** An attempt is no refusal: only what the policy forbids and we could have done is one. */
export function pathDenials(paths: readonly AbsolutePath[], world: JudgedWorld): readonly Denial[] {
  const targets = new Set<AbsolutePath>();
  for (const file of paths.filter((each) => !OWN.test(each))) {
    const judged = judgeWrite(world.realPath(file), false, world);
    if (judged.kind === 'stopped') targets.add(judged.target);
  }
  return [...targets].slice(0, MOST_DENIALS).map((target) => ({ kind: 'write', target, proof: 'kernel' }));
}
