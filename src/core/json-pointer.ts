/** References inside one JSON document, such as `#/$defs/Address`. */
import type { JsonObject } from './json-object.js';

/** A reference longer than this is not worth following. */
const MAX_REFERENCE = 1_000;

/** What a local reference points to; undefined for one that leads nowhere or out of the document. */
export function resolvePointer(root: unknown, reference: string): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/') || reference.length > MAX_REFERENCE) return undefined;
  return reference
    .slice(2)
    .split('/')
    .map((step) => decodeStep(step))
    .reduce<unknown>((node, step) => (isStep(node, step) ? node[step] : undefined), root);
}

function decodeStep(step: string): string {
  const unescaped = step.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(unescaped);
  } catch {
    return unescaped;
  }
}

function isStep(node: unknown, step: string): node is JsonObject {
  return typeof node === 'object' && node !== null && Object.hasOwn(node, step);
}
