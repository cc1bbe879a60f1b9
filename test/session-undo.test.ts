import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

import { createRuntime, createSession } from '../src/index.js';
import type { ScriptedModel } from '../src/testing/index.js';
import { modelAt, saidIn } from './support/agent.js';
import { scriptedModel } from './support/model-server.js';
import { tempFolder } from './support/temp-folder.js';

const adding = (file: string) => ({
  custom: 'apply_patch',
  input: `*** Begin Patch\n*** Add File: ${file}\n+new\n*** End Patch`,
});

const lastSaid = ({ requests }: ScriptedModel) => requests.slice(-1).flatMap(saidIn);

test('a session takes back what its latest turn did, and tells the model', async () => {
  const cwd = tempFolder();
  const server = await scriptedModel([
    { calls: [adding('one.txt')] },
    { text: 'One.' },
    { calls: [adding('two.txt'), adding('three.txt')] },
    { text: 'Two and three.' },
    { text: 'I see.' },
  ]);
  const runtime = createRuntime({ cwd, home: tempFolder(), selection: { patchFace: 'freeform' } });
  onTestFinished(() => runtime.close());
  const session = createSession({ runtime, model: modelAt(server, 'responses') });
  await session.send('One file');
  await session.send('Two more');
  const there = () => ['one.txt', 'two.txt', 'three.txt'].filter((name) => existsSync(path.join(cwd, name)));
  expect(there()).toEqual(['one.txt', 'two.txt', 'three.txt']);

  expect(await session.undo()).toMatchObject({ kind: 'undone' });
  expect(there()).toEqual(['one.txt']);
  await session.send('Better so');
  const said = lastSaid(server);
  expect(said.at(-2)).toMatch(/^developer: The user has taken back .*two\.txt/s);
  expect(said.at(-2)).toContain(path.join(cwd, 'three.txt'));
  expect(said.at(-1)).toBe('user: Better so');
  expect(await session.undo()).toMatchObject({ kind: 'nothing' });
});

test('what cannot be taken back is not told as taken back', async () => {
  const cwd = tempFolder();
  const server = await scriptedModel([{ calls: [adding('one.txt')] }, { text: 'One.' }, { text: 'Fine.' }]);
  const runtime = createRuntime({ cwd, home: tempFolder(), selection: { patchFace: 'freeform' } });
  onTestFinished(() => runtime.close());
  const session = createSession({ runtime, model: modelAt(server, 'responses') });
  await session.send('One file');
  writeFileSync(path.join(cwd, 'one.txt'), 'changed since');
  expect(await session.undo()).toMatchObject({ kind: 'refused' });
  await session.send('Well');
  expect(lastSaid(server).join('\n')).not.toContain('taken back');
});
