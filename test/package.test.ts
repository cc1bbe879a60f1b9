import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

import { tempFolder } from './support/temp-folder.js';

const ROOT = path.join(import.meta.dirname, '..');
const run = (command: string, args: readonly string[], cwd: string) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', timeout: 60_000 });

type Packed = { readonly filename: string; readonly files: readonly { readonly path: string }[] };

test('the package holds the program, the library and its types, and works where it is unpacked', () => {
  const folder = tempFolder();
  const [packed] = JSON.parse(run('npm', ['pack', '--json', '--silent', '--pack-destination', folder], ROOT)) as [
    Packed,
  ];
  const files = packed.files.map((file) => file.path);
  expect(files).toEqual(
    expect.arrayContaining([
      'LICENSE',
      'README.md',
      'dist/index.js',
      'dist/tenon.cjs',
      'dist/testing.js',
      'dist/types/index.d.ts',
      'docs/events.schema.json',
      'docs/exec-events.schema.json',
      'docs/session.schema.json',
    ]),
  );
  expect(
    files.filter((file) => !/^(dist\/|docs\/[a-z-]+\.schema\.json$|[A-Z]+(\.md)?$|package\.json$)/.test(file)),
  ).toEqual([]);

  run('tar', ['-xzf', packed.filename], folder);
  mkdirSync(path.join(folder, 'node_modules'));
  symlinkSync(path.join(folder, 'package'), path.join(folder, 'node_modules/tenon'));
  const link = (name: string): void =>
    symlinkSync(path.join(ROOT, 'node_modules', name), path.join(folder, 'node_modules', name));
  for (const name of ['eventsource-parser', 'smol-toml', 'zod']) link(name);
  const script = `
    import { createRuntime } from 'tenon';
    import { createMemoryWorkspace } from 'tenon/testing';
    const runtime = createRuntime({ workspace: createMemoryWorkspace({ files: { a: 'hello' } }) });
    const { answer } = await runtime.runCall({ name: 'read_file', payload: { kind: 'function', arguments: '{"path":"a"}' } });
    console.log(answer.content[0].text);
  `;
  expect(run(process.execPath, ['--input-type=module', '-e', script], folder)).toBe('   1| hello\n');
  // The program is one file: it needs no packages beside it.
  expect(run(process.execPath, [path.join(folder, 'package/dist/tenon.cjs'), 'tools'], folder)).toMatch(
    /^exec_command/m,
  );
  // Only terminals have a native part; without it there are pipes.
  const inTerminal = [path.join(folder, 'package/dist/tenon.cjs'), 'call', 'exec_command'];
  const args = ['{"cmd": "tty", "tty": true, "login": false}', '-s', 'danger-full-access'];
  const told = (): string =>
    spawnSync(process.execPath, [...inTerminal, ...args], { cwd: folder, encoding: 'utf8' }).stdout;
  expect(told()).toMatch(/\nNote: no terminal can be had here \(.*\); it runs with plain pipes\n[^]*not a tty\n$/);
  link('@lydell');
  expect(told()).toMatch(/\nOutput:\n\/dev\/pts\/\d+\r\n$/);
});
