/** Tools that write files by themselves, while a command of theirs may still be at work. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { object, string } from 'zod/mini';

import { defineTool } from '../../../src/core/define-tool.js';
import { ABSENT } from '../../../src/core/files.js';
import type { FileState, Files } from '../../../src/core/files.js';
import { textOutput } from '../../../src/core/output.js';
import { absolutePath } from '../../../src/core/paths.js';
import type { AbsolutePath } from '../../../src/core/paths.js';
import { createRuntime } from '../../../src/create-runtime.js';
import { pictureOf } from './grounds.js';
import { finding } from './row.js';
import type { Row } from './row.js';

const AT_LEAST = 30;
const AT_MOST = 5_000;

export const TOOL_ROWS: readonly Row[] = [
  {
    id: 'A39',
    title: 'a tool writes nothing behind a folder that turns into a link meanwhile',
    async story({ workspace, outside, home }, { backend }) {
      if (backend !== 'cell') return { skip: 'no backend has a part in it; tried beside the cell' };
      const folder = `${workspace}/swapped`;
      fs.mkdirSync(folder);
      const before = pictureOf(outside);
      const runtime = createRuntime({
        cwd: workspace,
        home: `${home}/tenon`,
        sandbox: { backend, excludeSlashTmp: true, excludeTmpdir: true },
        tools: [PUT],
        builtinTools: [],
      });
      const stop = await swapping(folder, `${outside}/folder`);
      const seen = new Set<string>();
      for (
        let index = 0;
        index < AT_LEAST || (index < AT_MOST && !(seen.has('completed') && seen.has('failed')));
        index++
      ) {
        const payload = { kind: 'function', arguments: JSON.stringify({ path: `${folder}/${index % 5}` }) } as const;
        seen.add((await runtime.runCall({ name: 'put', payload })).outcome.kind);
      }
      await stop();
      await runtime.close();
      return [
        finding('what became of calls', [...seen].toSorted().join(), 'completed,failed'),
        finding('outside', pictureOf(outside), before),
      ];
    },
  },
];

/** It says nothing of what it does, so that only its hands are confined. */
const PUT = defineTool({
  name: 'put',
  description: 'Writes a file.',
  input: object({ path: string() }),
  intent: () => ({ effects: [] }),
  async run({ path }, { workspace }) {
    const file = absolutePath(path);
    const before = await stateOf(workspace.files, file);
    const text = before.kind === 'file' && before.content.length === 1 ? 'ab' : 'a';
    await workspace.files.change([{ path: file, before, after: { kind: 'file', content: Buffer.from(text) } }]);
    return textOutput('');
  },
});

async function stateOf(files: Files, path: AbsolutePath): Promise<FileState> {
  if ((await files.look(path)) === undefined) return ABSENT;
  const file = await files.open(path);
  const content = Buffer.alloc(file.size);
  await file.read(content, 0);
  await file.close();
  return { kind: 'file', content };
}

const SWAP = `
  const fs = require('node:fs');
  const [name, other, parent] = process.argv.slice(1);
  const attempt = (act) => { try { act(); } catch {} };
  const once = () => {
    attempt(() => fs.symlinkSync(other, name + '.link'));
    attempt(() => fs.renameSync(name, name + '.real'));
    attempt(() => fs.renameSync(name + '.link', name));
    attempt(() => fs.renameSync(name, name + '.link'));
    attempt(() => fs.renameSync(name + '.real', name));
    attempt(() => fs.rmSync(name + '.real', { recursive: true }));
  };
  once();
  process.stdout.write('started');
  while (process.ppid === Number(parent)) once();`;

/** Starts somebody who puts a link in the place of a folder, and the folder back, until told to stop. */
async function swapping(name: string, other: string): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, ['-e', SWAP, name, other, `${process.pid}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
}
