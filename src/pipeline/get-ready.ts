/** To judge a command takes time, and so does what it needs before it can start. Both are done at once. */
import type { Intent } from '../core/effects.js';
import type { Workspace } from '../core/workspace.js';

export function getReady({ effects }: Intent, { workspace }: { readonly workspace: Workspace }): void {
  if (effects.some(({ kind }) => kind === 'exec')) workspace.getReady?.();
}
