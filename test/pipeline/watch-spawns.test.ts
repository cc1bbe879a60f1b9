import { expect, test } from 'vitest';

import { Aborted } from '../../src/core/errors.js';
import { absolutePath } from '../../src/core/paths.js';
import type { Command, Workspace } from '../../src/core/workspace.js';
import { workspaceWith } from '../../src/core/workspace-with.js';
import { endAll, watchSpawns } from '../../src/pipeline/watch-spawns.js';
import { createMemoryWorkspace } from '../../src/testing/index.js';
import { latch } from '../support/runtime.js';

const forever: Command = { argv: ['forever'], cwd: absolutePath('/'), onOutput: () => {} };
const brief: Command = { ...forever, argv: ['brief'] };

function programs(): Workspace {
  return createMemoryWorkspace({
    program: ({ argv }) => (argv[0] === 'brief' ? { kind: 'exited', code: 0 } : new Promise(() => {})),
  });
}

test('of the programs that were started, those that have not ended are known, and can be ended', async () => {
  const watch = watchSpawns(programs());
  const ended = await watch.workspace.spawn(brief);
  await ended.exit;
  const started = await watch.workspace.spawn(forever);
  expect(await watch.close()).toEqual([started]);
  await endAll([started]);
  expect(await watch.close()).toEqual([]);
});

test('a program that is just being started is waited for', async () => {
  const slow = latch();
  const workspace = programs();
  const spawn: Workspace['spawn'] = async (command) => (await slow.opened, workspace.spawn(command));
  const watch = watchSpawns(workspaceWith(workspace, { spawn }));
  const starting = watch.workspace.spawn(forever);
  const closing = watch.close();
  slow.open();
  expect(await closing).toEqual([await starting]);
});

test('nothing is started after the end, and what could not be started is not waited for', async () => {
  const spawn = (): Promise<never> => Promise.reject(new Error('no memory'));
  const watch = watchSpawns(workspaceWith(programs(), { spawn }));
  const failing = watch.workspace.spawn(forever).catch(String);
  expect(await watch.close()).toEqual([]);
  expect(await failing).toBe('Error: no memory');
  await expect(watch.workspace.spawn(forever)).rejects.toThrow(Aborted);
});
