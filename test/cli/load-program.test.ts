import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

import { PROGRAM, runCli } from '../support/cli.js';
import { scriptedModel } from '../support/model-server.js';
import { tempFolder } from '../support/temp-folder.js';

const HEAVY = [
  'child_process',
  'crypto',
  'http',
  'internal/fs/promises',
  'internal/fs/streams',
  'internal/modules/esm/loader',
  'os',
  'perf_hooks',
  'readline',
  'stream',
  'tls',
  'vm',
  'worker_threads',
  'zlib',
];

type Loaded = {
  /** Of those modules of Node that take long to load. */
  readonly modules: readonly string[];
  /** The files of the program, as far as their compiled code was kept. */
  readonly packs: readonly string[];
};

/** What a run has loaded in the end; `before` are runs in the same folders. */
async function loadedBy(args: readonly string[], config = '', before: readonly string[][] = []): Promise<Loaded> {
  const [home, cwd] = [tempFolder(), tempFolder()];
  const cache = path.join(home, 'cache');
  mkdirSync(cache);
  writeFileSync(path.join(home, 'config.toml'), config);
  writeFileSync(path.join(cwd, 'a.txt'), 'alpha\n');
  const list = path.join(home, 'loaded.json');
  const preload = path.join(home, 'preload.cjs');
  writeFileSync(
    preload,
    `process.on('exit', () => require('fs').writeFileSync(${JSON.stringify(list)}, JSON.stringify(process.moduleLoadList)));`,
  );
  for (const each of before) await runCli(each, { home, cwd });
  await runCli(args, { home, cwd, env: { NODE_OPTIONS: `--require ${preload}` } });
  const loaded = JSON.parse(readFileSync(list, 'utf8')) as string[];
  return {
    modules: HEAVY.filter((name) => loaded.includes(`NativeModule ${name}`)),
    packs: readdirSync(cache).map((name) => name.split('-')[1] ?? ''),
  };
}

const TO_RUN = ['os', 'stream', 'vm'];

test.each<readonly [args: readonly string[], needed: readonly string[]]>([
  [['--version'], []],
  [['--help'], TO_RUN],
  [['tools', '--json'], TO_RUN],
  [['call', 'update_plan', '{"plan":[]}'], TO_RUN],
  [
    ['call', 'read_file', '{"path":"a.txt"}'],
    ['internal/fs/promises', ...TO_RUN],
  ],
])('%j loads no heavy module that it does not use', async (args, needed) => {
  expect((await loadedBy(args)).modules).toEqual(needed);
});

const HELLO = ['exec', '--json', 'hello'];

test.each([
  ['a turn of plain text', HELLO, []],
  ['one in a session that goes on', ['exec', 'resume', '--last', '--json', 'hello again'], [HELLO]],
])('%s loads a client and nothing else, and half of the program', async (_what, args, before) => {
  const model = await scriptedModel([{ text: 'done' }, { text: 'done again' }]);
  const config = `
model = "scripted-model"
model_provider = "scripted"
[model_providers.scripted]
base_url = "${model.baseUrl}"
`;
  expect(await loadedBy(args, config, before)).toEqual({ modules: ['http', ...TO_RUN], packs: ['start'] });
  expect(model.requests).toHaveLength(before.length + 1);
});

test('what a turn of plain text needs is less than half of the program', () => {
  const sizeOf = (name: string): number => statSync(path.join(path.dirname(PROGRAM), name)).size;
  expect(sizeOf('start.cjs')).toBeLessThan(sizeOf('more.cjs'));
});
