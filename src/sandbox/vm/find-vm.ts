/** Virtual machines as a backend: one guest for each policy, started with the first command and then kept. */
import { ToolFailure } from '../../core/errors.js';
import type { SandboxSettings } from '../../core/sandbox-settings.js';
import type { Process } from '../../core/workspace.js';
import type { Backend, ConfinedStart } from '../backend.js';
import type { Candidate } from '../choose-backend.js';
import { keptByPolicy } from '../kept-by-policy.js';
import { nothingSeen } from '../nothing-seen.js';
import { createGuest } from './guest.js';
import type { Guest } from './guest.js';
import type { Accelerator } from './guest-arguments.js';
import { vmGuarantees } from './guarantees.js';
import type { PartOptions } from './parts.js';
import { probeVm } from './probe.js';

export async function findVm({ settings }: { readonly settings: SandboxSettings }): Promise<Candidate> {
  const parts: PartOptions = settings.vmKernel === undefined ? {} : { kernel: settings.vmKernel };
  const found = await probeVm(parts);
  return found.kind === 'works'
    ? { kind: 'works', backend: vmBackend(parts, found.accelerator) }
    : { kind: 'broken', name: 'vm', reason: found.reason };
}

function vmBackend(parts: PartOptions, accelerator: Accelerator): Backend {
  const guests = keptByPolicy<Guest>(async (resolved) => ({
    value: await createGuest({ ...parts, resolved, accelerator }),
  }));
  return {
    name: 'vm',
    writeError: 'EROFS',
    guarantees: (policy) => vmGuarantees(policy),
    start: async (start) => nothingSeen(await spawnIn(await guests.get(start.policy), start)),
    close: () => guests.close(),
  };
}

async function spawnIn(guest: Guest, { command, workspace }: ConfinedStart): Promise<Process> {
  if (command.attached) throw new ToolFailure('a virtual machine does not share our terminal');
  const program = await workspace.prepare?.(command);
  if (program === undefined) throw new ToolFailure('programs of this workspace cannot be started in a machine');
  const { terminal, signal, onOutput } = command;
  return guest.spawn({ ...program, onOutput, ...(terminal && { terminal }), ...(signal && { signal }) });
}
