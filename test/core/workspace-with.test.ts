import { expect, test } from 'vitest';

import { absolutePath } from '../../src/core/paths.js';
import type { Command, Workspace } from '../../src/core/workspace.js';
import { workspaceWith } from '../../src/core/workspace-with.js';
import { createMemoryWorkspace } from '../../src/testing/index.js';

const command: Command = { argv: ['program'], cwd: absolutePath('/'), onOutput: () => {} };
const ended = createMemoryWorkspace({ program: async () => ({ kind: 'exited', code: 0 }) });

class Remote implements Workspace {
  readonly cwd = absolutePath('/remote');
  readonly host = 'host';
  readonly files = createMemoryWorkspace().files;
  async spawn(): Promise<never> {
    throw new Error(`not on ${this.host}`);
  }
  async prepare({ argv }: Command) {
    return { argv, cwd: this.cwd, env: { HOST: this.host } };
  }
  async companion(name: string) {
    return [this.host, name];
  }
  shellCommand(script: string) {
    return [this.host, script];
  }
}

test('a workspace with other parts keeps the rest, also when it is the object of a class', async () => {
  const remote = new Remote();
  const spawning = workspaceWith(remote, { spawn: (given) => ended.spawn(given) });
  expect(await (await spawning.spawn(command)).exit).toEqual({ kind: 'exited', code: 0 });
  expect([spawning.cwd, spawning.shellCommand('x', {})]).toEqual(['/remote', ['host', 'x']]);
  expect(await spawning.companion?.('search')).toEqual(['host', 'search']);
  expect(await spawning.prepare?.(command)).toEqual({ argv: ['program'], cwd: '/remote', env: { HOST: 'host' } });
  expect(spawning.files).toBe(remote.files);

  const filed = workspaceWith(remote, { files: ended.files });
  expect(filed.files).toBe(ended.files);
  await expect(filed.spawn(command)).rejects.toThrow('not on host');
});

test('what a workspace does not have, or must not have any more, is not there', () => {
  const { files } = ended;
  expect(Object.keys(workspaceWith(ended, { files }))).toEqual(['cwd', 'files', 'spawn', 'shellCommand']);
  expect(workspaceWith(new Remote(), { prepare: undefined })).not.toHaveProperty('prepare');
});
