/** To judge a command takes time, and so does what it needs before it can start. Both are done at once. */
import type { Intent } from '../core/effects.js';
import type { Profile, Workspace } from '../core/workspace.js';

type Place = { readonly workspace: Workspace; readonly profile: Profile };

export function getReady({ effects }: Intent, { workspace, profile }: Place): void {
  const command = effects.find(({ kind }) => kind === 'exec');
  if (command?.kind !== 'exec') return;
  // Only with full access is it known by now that nothing will confine it.
  workspace.getReady?.(profile.mode === 'danger-full-access' ? command.argv : undefined);
}
