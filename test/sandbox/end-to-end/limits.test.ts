/** Limits from the configuration stop a command and nothing else; what cannot be held is said. */
import { spawn } from 'node:child_process';
import { chownSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { createCommandSandbox, loadSettings, runtimeOptions } from '../../../src/index.js';
import type { SandboxSettings } from '../../../src/index.js';
import { PROGRAM, finished, runCli } from '../../support/cli.js';
import { denialsIn, grounds, sandboxedRuntime } from '../../support/sandboxed.js';

const PYTHON = '/usr/bin/python3';

/** Tries until it is told no; prints how many there were at once. */
const FORKS = `
import os, signal, time
made = []
try:
    while len(made) < 300:
        pid = os.fork()
        if pid == 0:
            time.sleep(60)
            os._exit(0)
        made.append(pid)
except OSError as error:
    print("stopped by", type(error).__name__)
for pid in made: os.kill(pid, signal.SIGKILL)
print("some" if 5 < len(made) < 40 else len(made))
`;

type Case = readonly [key: string, value: number, cmd: string, told: Readonly<Record<'header' | 'body', RegExp>>];

const CASES: readonly Case[] = [
  [
    'memory_mb',
    64,
    `${PYTHON} -c 'x = bytearray(300 << 20); print(len(x))'`,
    { header: /code 137\n/, body: /^(?:Killed\n)?$/ },
  ],
  ['processes', 40, `${PYTHON} -c '${FORKS}'`, { header: /code 0\n/, body: /^stopped by BlockingIOError\nsome\n$/ }],
  ['cpu_seconds', 1, 'while :; do :; done', { header: /code (?:137|152)\n/, body: /^$/ }],
  [
    'file_mb',
    1,
    'head -c 3000000 /dev/zero > big',
    { header: /code 153\n/, body: /^(?:.*File size limit exceeded.*\n)?$/ },
  ],
  [
    'wall_seconds',
    1,
    'sleep 60',
    { header: /code (?:143|137)\n/, body: /^\[tenon: ended after 1 seconds, the sandbox's limit\]\n$/ },
  ],
];

async function settingsWith(key: string, value: number): Promise<SandboxSettings> {
  const { project, ownHome } = grounds();
  const { config } = await loadSettings({
    home: ownHome,
    cwd: project,
    overrides: [`sandbox.limits.${key}=${value}`],
    onWarning: (message) => expect(message).toBe(''),
  });
  return runtimeOptions(config).sandbox ?? {};
}

describe('a command that goes beyond a limit is stopped, and the next one runs', () => {
  test.each(CASES)('%s = %d', async (key, value, cmd, { header, body }) => {
    const sandbox = await settingsWith(key, value);
    const runtime = sandboxedRuntime({ sandbox, answers: ['deny'] });
    const told = await runtime.sh(cmd);
    if (!(await isHeld(sandbox))) {
      // Nobody finds out by surprise: it is a question first.
      expect(told.result.outcome).toMatchObject({ kind: 'rejected', by: 'user' });
      expect(runtime.questions[0]?.rule).toEqual({ name: 'weaker-sandbox' });
      return;
    }
    expect(told.header).toMatch(header);
    expect(told.body).toMatch(body);
    if (key === 'file_mb') expect(statSync(path.join(runtime.project, 'big')).size).toBe(1024 * 1024);
    expect((await runtime.sh('echo alive')).body).toBe('alive\n');
    expect([runtime.questions, denialsIn(runtime)]).toEqual([[], []]);
  });

  test('a limit holds for a command and all that it starts together', async () => {
    const sandbox = await settingsWith('memory_mb', 128);
    if (!(await isHeld(sandbox))) return;
    const runtime = sandboxedRuntime({ sandbox });
    const one = `${PYTHON} -c 'import time; x = bytearray(60 << 20); time.sleep(0.5)'`;
    const alone = await runtime.sh(`${one} && echo fits`);
    const together = await runtime.sh(`${one} & ${one} & ${one} & ${one} & wait; wait -n; echo after`);
    expect(alone.body).toBe('fits\n');
    expect(together.body).toMatch(/Killed|^after\n$/);
    expect((await runtime.sh(`${one} && echo fits`)).body).toBe('fits\n');
  });
});

test('`tenon sandbox probe` says what cannot be limited here', async () => {
  const { project, ownHome } = grounds();
  const flags = [
    '-c',
    'sandbox.limits.memory_mb=64',
    '-c',
    'sandbox.limits.processes=50',
    '-c',
    'sandbox.limits.cpu_seconds=9',
  ];
  const { code, stdout } = await runCli(['sandbox', 'probe', '--json', ...flags], { cwd: project, home: ownHome });
  expect(code).toBe(0);
  const found = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Probed);
  for (const each of found.filter(({ works }) => works)) {
    const { limits } = each.guarantees;
    const lacking = each.shortfalls.map(({ text }) => text).filter((text) => text.endsWith('cannot be limited'));
    const words = { memoryBytes: 'memory', processes: 'the number of processes', cpuSeconds: 'processor time' };
    const missing = Object.entries(words).filter(([name]) => !limits.includes(name));
    expect([each.name, lacking]).toEqual([each.name, missing.map(([, word]) => `${word} cannot be limited`)]);
  }
});

test.runIf(process.getuid?.() === 0)('a plain user is told that memory cannot be limited', async () => {
  const { project, ownHome } = grounds();
  for (const folder of [path.dirname(project), project, ownHome]) chownSync(folder, NOBODY, NOBODY);
  const child = spawn(
    'setpriv',
    [
      `--reuid=${NOBODY}`,
      `--regid=${NOBODY}`,
      '--clear-groups',
      process.execPath,
      PROGRAM,
      'sandbox',
      'probe',
      '-c',
      'sandbox.limits.memory_mb=64',
    ],
    { cwd: project, env: { PATH: process.env['PATH'], HOME: project, TENON_HOME: ownHome } },
  );
  child.stdin.end();
  const { stdout, stderr } = await finished(child);
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^cell: works \(used\)\n(?: {2}.*\n)* {2}lacks: memory cannot be limited\n/);
});

const NOBODY = 65_534;

type Probed = {
  readonly name: string;
  readonly works: boolean;
  readonly guarantees: { readonly limits: readonly string[] };
  readonly shortfalls: readonly { readonly text: string }[];
};

/** Whether this machine lets us hold commands to all of it. */
async function isHeld(settings: SandboxSettings): Promise<boolean> {
  const { project, ownHome } = grounds();
  const sandbox = createCommandSandbox({ cwd: project, home: ownHome, sandbox: settings });
  const found = await sandbox.confinement();
  await sandbox.close();
  return found.kind === 'available' && found.weaker.length === 0;
}
