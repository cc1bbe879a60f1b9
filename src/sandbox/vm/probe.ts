/** Says whether virtual machines can be had here, and with what. */
import { messageOf } from '../../core/errors.js';
import { findAccelerator } from './accelerator.js';
import { readGuestModules } from './guest-archive.js';
import type { Accelerator } from './guest-arguments.js';
import { findParts } from './parts.js';
import type { PartOptions, Parts } from './parts.js';
import { tryView } from './try-view.js';

export type VmProbe =
  | ({ readonly kind: 'works'; readonly accelerator: Accelerator } & Parts)
  /** Something is not installed. */
  | { readonly kind: 'missing'; readonly reason: string }
  /** All is there, and yet it cannot work. */
  | { readonly kind: 'broken'; readonly reason: string };

export async function probeVm(options: PartOptions = {}): Promise<VmProbe> {
  const found = await findParts(options);
  if (found.kind === 'missing') return found;
  try {
    await readGuestModules(found.parts, { network: true });
    await tryView(found.parts);
  } catch (error) {
    return { kind: 'broken', reason: messageOf(error) };
  }
  return { kind: 'works', accelerator: await findAccelerator(found.parts), ...found.parts };
}
