/** What a command costs beside a bare `spawn` of the same shell that waits for the same end. */
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';

import { createRuntime } from '../src/index.js';
import { measure } from './report.js';
import type { Way } from './report.js';

const ROUNDS = 200;

export async function commandCost(): Promise<void> {
  const runtime = createRuntime({ cwd: tmpdir(), sandboxMode: 'danger-full-access' });
  const call = (name: string, args: object) => () =>
    runtime.runCall({ name, payload: { kind: 'function', arguments: JSON.stringify(args) } });
  const ways: readonly Way[] = [
    ['spawn bash -c true', bareSpawn],
    ['exec_command true, login: false', call('exec_command', { cmd: 'true', shell: '/bin/bash', login: false })],
    ['exec_command true', call('exec_command', { cmd: 'true', shell: '/bin/bash' })],
    ['exec_command true, tty', call('exec_command', { cmd: 'true', shell: '/bin/bash', tty: true })],
    ['shell bash -lc true', call('shell', { command: ['/bin/bash', '-lc', 'true'] })],
  ];
  for (const [, run] of ways) await run();
  await measure(ways, ROUNDS);
  await runtime.close();
}

function bareSpawn(): Promise<unknown> {
  const child = spawn('/bin/bash', ['-c', 'true'], { cwd: tmpdir(), stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.resume();
  child.stderr.resume();
  return new Promise((resolve) => child.once('close', resolve));
}
