import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

import { agentFiles } from '../../../src/sandbox/docker/agent-program.js';
import { checkPlaces } from '../../../src/sandbox/docker/check-places.js';
import { makeRuntimeFolder, removeRuntimeFolder } from '../../../src/sandbox/docker/runtime-folder.js';
import { tempFolder } from '../../support/temp-folder.js';
import { place, policyOf, realPlace } from './policies.js';

async function folderFor(policy: Parameters<typeof policyOf>[0]) {
  const folder = await makeRuntimeFolder(policyOf(policy));
  onTestFinished(() => removeRuntimeFolder(folder));
  return folder;
}

const modeOf = (file: string) => lstatSync(file).mode & 0o777;

test('the folder of a runtime is for its user alone, and holds the agent and covers that nobody opens', async () => {
  const limits = { cpuSeconds: 3 };
  const folder = await folderFor({ limits });
  const modes = ['', 'agent', 'hidden-folder', 'hidden-file'].map((name) => modeOf(path.join(folder, name)));
  expect(modes).toEqual([0o700, 0o600, 0, 0]);
  expect(readFileSync(path.join(folder, 'runner'), 'utf8')).toBe(agentFiles(limits).runner);
});

test('it is never in a place that commands may write to', async () => {
  const usual = path.dirname(await folderFor({}));
  const other = await folderFor({ writable: [realPlace(usual)] });
  expect(path.dirname(other)).not.toBe(usual);
  await expect(folderFor({ granted: [place('/')] })).rejects.toThrow('needs one of its own');
});

test('what a killed runtime has left is removed, and what a living one has is not', async () => {
  const usual = path.dirname(await folderFor({}));
  const { pid } = spawnSync('true');
  const names = [`tenon-container-${pid}-abc`, `tenon-container-${process.ppid}-abc`, `tenon-container-x${pid}-abc`];
  const [dead = '', living = '', strange = ''] = names.map((name) => path.join(usual, name));
  for (const folder of [dead, living, strange]) mkdirSync(path.join(folder, 'hidden-folder'), { recursive: true });
  await folderFor({});
  const left = [dead, living, strange].map((folder) => existsSync(folder));
  for (const folder of [living, strange]) await removeRuntimeFolder(realPlace(folder).path);
  expect(left).toEqual([false, true, true]);
});

test('a place is checked to be what it was', async () => {
  const known = realPlace(tempFolder());
  await expect(checkPlaces(policyOf({ writable: [known], protected: [known] }))).resolves.toBeUndefined();
  for (const kind of ['writable', 'pinned', 'protected', 'granted'] as const) {
    const swapped = checkPlaces(policyOf({ [kind]: [{ ...known, inode: known.inode + 1 }] }));
    await expect(swapped).rejects.toThrow('is not what it was');
  }
  await expect(checkPlaces(policyOf({ writable: [place('/nowhere/at/all')] }))).rejects.toThrow('is not what it was');
});
