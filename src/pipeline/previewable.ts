/** Which calls can be run on a copy of the workspace first, so that somebody sees what they change before they do. */
import type { Intent, Permission } from '../core/effects.js';
import type { OpenStage } from '../core/staging.js';

export type Preview = {
  /** Every call that can be previewed is, without anybody asking for it. */
  readonly always: boolean;
  readonly open: OpenStage;
};

/** How a call may run, and whether on a copy first. What is `harmless` changes nothing, so nobody need look whether it did. */
export type Permit = Permission & { readonly preview: boolean; readonly harmless: boolean };

/** Only commands see the copy, and only a sandbox keeps them to it. */
export function canPreview({ effects }: Intent, { confined }: Permission): boolean {
  const kinds = new Set(effects.map(({ kind }) => kind));
  kinds.delete('read');
  return confined && kinds.size === 1 && kinds.has('exec');
}

/** The same permit under the user's setting. What is harmless has nothing to show. */
export function underSetting(permit: Permit, intent: Intent, preview: Preview | undefined): Permit {
  const isShown = preview?.always === true && !permit.harmless && canPreview(intent, permit);
  return isShown ? { ...permit, preview: true } : permit;
}
