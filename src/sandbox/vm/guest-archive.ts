/** The guest's first file system: a shell, the modules of its kernel, its first program and the agent. */
import fs from 'node:fs/promises';
import path from 'node:path';

import { ConfigError, messageOf } from '../../core/errors.js';
import type { ResolvedPolicy } from '../policy.js';
import { agentArguments, agentScript } from './agent-script.js';
import type { Caller } from './agent-script.js';
import { initScript } from './init-script.js';
import { initramfs } from './initramfs.js';
import { GUEST_MODULES, NETWORK_MODULES, moduleFiles } from './kernel-modules.js';
import type { Parts } from './parts.js';

export async function guestArchive(parts: Parts, resolved: ResolvedPolicy, caller: Caller): Promise<Uint8Array> {
  const modules = await readGuestModules(parts, { network: resolved.network.kind === 'open' });
  const init = initScript(resolved, {
    modules: modules.map(({ name }) => name),
    perl: parts.perl,
    agentArguments: agentArguments(caller, resolved.limits),
  });
  return initramfs([
    ...['bin', 'dev', 'modules', 'proc', 'machine', 'sys'].map((folder) => ({ kind: 'folder', path: folder }) as const),
    { kind: 'device', path: 'dev/console', major: 5, minor: 1 },
    { kind: 'file', path: 'bin/busybox', content: await fs.readFile(parts.busybox), executable: true },
    ...modules.map(({ name, content }) => ({ kind: 'file', path: `modules/${name}`, content }) as const),
    { kind: 'file', path: 'agent.pl', content: Buffer.from(agentScript(parts.architecture)) },
    { kind: 'file', path: 'init', content: Buffer.from(init), executable: true },
  ]);
}

type GuestModule = { readonly name: string; readonly content: Uint8Array };

/** In the order to load them, with a number in front: two files may have the same name. */
export async function readGuestModules(
  { modules }: Pick<Parts, 'modules'>,
  { network }: { readonly network: boolean },
): Promise<readonly GuestModule[]> {
  const names = [...GUEST_MODULES, ...(network ? NETWORK_MODULES : [])];
  try {
    const [dependencies, builtin] = await Promise.all(
      ['modules.dep', 'modules.builtin'].map((list) => fs.readFile(path.join(modules, list), 'utf8')),
    );
    const files = moduleFiles(names, { dependencies: dependencies ?? '', builtin: builtin ?? '' });
    return await Promise.all(
      files.map(async (file, index) => ({
        name: `${index}-${path.basename(file)}`,
        content: await fs.readFile(path.join(modules, file)),
      })),
    );
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`the modules of the virtual machine's kernel cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
