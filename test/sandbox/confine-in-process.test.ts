import { expect, test } from 'vitest';

import { ABSENT } from '../../src/core/files.js';
import { absolutePath } from '../../src/core/paths.js';
import type { SandboxReport } from '../../src/core/workspace.js';
import { confineInProcess } from '../../src/sandbox/confine-in-process.js';
import { createMemoryWorkspace } from '../../src/testing/index.js';

const NEW = { kind: 'file', content: Buffer.from('new') } as const;
const at = (name: string) => absolutePath(`/workspace/${name}`);

function confined() {
  const reports: SandboxReport[] = [];
  const workspace = createMemoryWorkspace({ files: { 'in/a': 'a', 'out/b': 'b' } });
  const profile = { mode: 'workspace-write', writableRoots: [at('in')], network: false, grants: [] } as const;
  return { ...confineInProcess(workspace, profile, (what) => reports.push(what)), reports };
}

test('what is in a writable folder is changed, and all can be read', async () => {
  const { files, reports } = confined();
  await files.change([{ path: at('in/n'), before: ABSENT, after: NEW }]);
  expect([await files.look(at('in/n')), await files.look(at('out/b'))]).toMatchObject([{ size: 3 }, { size: 1 }]);
  const listed = [];
  for await (const portion of files.list(at('out'))) listed.push(...portion);
  expect([listed, reports]).toEqual([[{ name: 'b', kind: 'file' }], []]);
});

test('one change outside keeps all of a set from being made, and is reported', async () => {
  const { files, reports } = confined();
  const changes = ['in/n', 'out/n', 'out/m'].map((name) => ({ path: at(name), before: ABSENT, after: NEW }));
  await expect(files.change(changes)).rejects.toThrow('/workspace/out/n: permission denied');
  expect([await files.look(at('in/n')), reports]).toEqual([
    undefined,
    [{ kind: 'write', target: at('out/n'), proof: 'broker' }],
  ]);
});
