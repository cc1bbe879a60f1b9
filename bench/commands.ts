/** What a command costs beside a bare `spawn` of the same shell that waits for the same end. */
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';

import { createRuntime } from '../src/index.js';
import { report } from './report.js';

const ROUNDS = 200;

export async function commandCost(): Promise<void> {
  const runtime = createRuntime({ cwd: tmpdir(), sandboxMode: 'danger-full-access' });
  const call = (name: string, args: object) => () =>
    runtime.runCall({ name, payload: { kind: 'function', arguments: JSON.stringify(args) } });
  const ways: readonly (readonly [name: string, run: () => Promise<unknown>])[] = [
    ['spawn bash -c true', bareSpawn],
    ['exec_command true, login: false', call('exec_command', { cmd: 'true', shell: '/bin/bash', login: false })],
    ['exec_command true', call('exec_command', { cmd: 'true', shell: '/bin/bash' })],
    ['exec_command true, tty', call('exec_command', { cmd: 'true', shell: '/bin/bash', tty: true })],
    ['shell bash -lc true', call('shell', { command: ['/bin/bash', '-lc', 'true'] })],
  ];
  const rows = ways.map(([name, run]) => ({ name, run, samples: [] as number[] }));
  for (const { run } of rows) await run();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { run, samples } of rows) {
      const started = performance.now();
      await run();
      samples.push(performance.now() - started);
    }
  }
  report(rows, 'ms');
  await runtime.close();
}

function bareSpawn(): Promise<unknown> {
  const child = spawn('/bin/bash', ['-c', 'true'], { cwd: tmpdir(), stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.resume();
  child.stderr.resume();
  return new Promise((resolve) => child.once('close', resolve));
}
