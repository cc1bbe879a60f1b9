/** Plans a patch for one file, `a.txt`, with content that is at hand. */
import { parsePatch } from '../../src/patch/parse-patch.js';
import { planPatch } from '../../src/patch/plan-patch.js';
import type { PatchPlan } from '../../src/patch/plan-patch.js';
import { BASE } from './patched-tree.js';

export function planFor(content: Uint8Array, patch: string): Promise<PatchPlan> {
  return planPatch(parsePatch(patch), BASE, (path) =>
    Promise.resolve(path === '/w/a.txt' ? { kind: 'file', content, mode: 0o644 } : undefined),
  );
}

/** What the file holds afterwards, one character a byte. */
export async function patched(content: Uint8Array | string, patch: string): Promise<string> {
  const bytes = Buffer.from(content as Uint8Array);
  const [change] = (await planFor(bytes, patch)).changes;
  const after = change?.after.kind === 'file' ? change.after.content : bytes;
  return Buffer.from(after).toString('latin1');
}

export function updateOf(lines: readonly string[]): string {
  return ['*** Begin Patch', '*** Update File: a.txt', ...lines, '*** End Patch', ''].join('\n');
}
