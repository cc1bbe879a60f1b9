/** Which of the paths that a command was seen trying to change it was kept from by the sandbox. */
import type { AbsolutePath } from '../../core/paths.js';
import type { Denial } from '../../core/workspace.js';
import { judgeWrite } from './judge-write.js';
import type { JudgedWorld } from './judge-write.js';

const MOST_DENIALS = 8;

/** Devices and processes are the command's own. */
const OWN = /^\/(?:dev|proc)(?:\/|$)/;

/**
 * An attempt is no refusal: only what the policy forbids and we could have done is one. Where a right to it would open too
 * much, that it was stopped is told, but not as something to ask for.
 */
export function pathDenials(paths: readonly AbsolutePath[], world: JudgedWorld): readonly Denial[] {
  const denials = new Map<AbsolutePath, Denial>();
  for (const file of paths.filter((each) => !OWN.test(each))) {
    const judged = judgeWrite(world.realPath(file), false, world);
    if (judged.kind === 'stopped') denials.set(judged.target, denial(judged.target, 'kernel'));
    else if (judged.kind === 'everything') denials.set(file, denial(file, 'inferred'));
  }
  return [...denials.values()].slice(0, MOST_DENIALS);
}

function denial(target: AbsolutePath, proof: Denial['proof']): Denial {
  return { kind: 'write', target, proof };
}
