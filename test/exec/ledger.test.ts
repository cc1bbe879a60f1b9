import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, watch, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';

import { ownedProcesses } from '../../src/index.js';
import { finished, runCli, startCli } from '../support/cli.js';
import { commandRuntime } from '../support/commands.js';
import { processGone } from '../support/process-gone.js';
import { tempFolder } from '../support/temp-folder.js';
import { until } from '../support/until.js';

const FULL = ['-s', 'danger-full-access'];

/** Ways in which a program tries to outlive whoever started it; each writes its pid to `pid`. */
const ESCAPES: readonly (readonly [name: string, script: string])[] = [
  ['a plain child', 'echo $$ > pid; sleep 60'],
  ['a child in the background', 'sleep 60 & echo $! > pid; wait'],
  ['a session of its own', 'setsid sh -c "echo \\$\\$ > pid; exec sleep 60" & wait'],
  [
    'a double fork',
    '(setsid sh -c "(echo \\$\\$ > first; sh -c \'echo \\$\\$ > pid; exec sleep 60\' &)" &) ; sleep 60',
  ],
  ['nohup', 'nohup sleep 60 > /dev/null 2>&1 & echo $! > pid; sleep 60'],
  [
    'nohup in a session of its own',
    'nohup setsid sh -c "echo \\$\\$ > pid; exec sleep 60" > out 2>&1 < /dev/null & sleep 60',
  ],
  ['no environment', 'env -i /bin/sh -c "echo \\$\\$ > pid; exec sleep 60" & wait'],
  [
    'no environment and another parent',
    '(env -i /bin/sh -c "echo \\$\\$ > pid; exec sleep 60" > out 2>&1 &); sleep 60',
  ],
  [
    'a name made to deceive, without environment',
    `name="$(printf 'x) Z 1 1 1\\n(y')"; cp /bin/sleep "$name"; env -i "./$name" 60 & echo $! > pid; wait`,
  ],
  [
    'no environment, and a job of its own',
    'set -m; env -i /bin/sh -c "echo \\$\\$ > pid; exec sleep 60" > out 2>&1 & sleep 60',
  ],
  ['a program that ignores signals', `trap '' HUP INT TERM; echo $$ > pid; while :; do sleep 1; done`],
];

/** The same, by commands that end at once. */
const LEFT_BEHIND: readonly (readonly [name: string, script: string])[] = [
  ['a session of its own', 'nohup setsid sh -c "echo \\$\\$ > pid; exec sleep 60" > out 2>&1 < /dev/null &'],
  ['no environment', 'set -m; env -i /bin/sh -c "echo \\$\\$ > pid; exec sleep 60" > out 2>&1 &'],
];

/** Resolves when a file has been written. */
async function written(file: string): Promise<string> {
  const text = () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  const folder = watch(path.dirname(file));
  try {
    while (text() === '') await new Promise((resolve) => folder.once('change', resolve));
    return text();
  } finally {
    folder.close();
  }
}

function startCommand(cmd: string, cwd: string, extra: object = {}): ChildProcess {
  const args = JSON.stringify({ cmd, login: false, shell: '/bin/sh', yield_time_ms: 30_000, ...extra });
  return startCli(['call', 'exec_command', args, ...FULL], { cwd, home: path.join(cwd, '.home') });
}

describe('when the program is killed, nothing it started lives on', () => {
  test.each(ESCAPES)('%s', async (_, script) => {
    const folder = tempFolder();
    const program = startCommand(`${script}\nsleep 60`, folder);
    const pid = Number(await written(path.join(folder, 'pid')));
    expect(pid).toBeGreaterThan(0);
    program.kill('SIGKILL');
    await processGone(pid);
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s ends it in order', async (signal) => {
    const folder = tempFolder();
    const program = startCommand('setsid sleep 60 > /dev/null 2>&1 & echo $! > pid; sleep 60', folder);
    const pid = Number(await written(path.join(folder, 'pid')));
    program.kill(signal);
    await processGone(pid);
  });

  test('in a terminal', async () => {
    const folder = tempFolder();
    const program = startCommand('setsid sh -c "echo \\$\\$ > pid; exec sleep 60" & sleep 60', folder, { tty: true });
    const pid = Number(await written(path.join(folder, 'pid')));
    program.kill('SIGKILL');
    await processGone(pid);
  });

  test('also one that was itself started by a command', async () => {
    const folder = tempFolder();
    const inner = JSON.stringify({ cmd: 'echo $$ > pid; exec sleep 60', login: false, yield_time_ms: 30_000 });
    const program = process.argv[0] ?? 'node';
    const cli = path.join(import.meta.dirname, '../../dist/tenon.cjs');
    const outer = startCommand(`${program} ${cli} call exec_command '${inner}' -s danger-full-access`, folder);
    const pid = Number(await written(path.join(folder, 'pid')));
    outer.kill('SIGKILL');
    await processGone(pid);
  });
});

test.each(LEFT_BEHIND)('when it is killed, nothing lives on of a command that has long ended: %s', async (_, cmd) => {
  const folder = tempFolder();
  const program = startLibrary(folder, { cmd, login: false, shell: '/bin/sh' }, 'setInterval(() => {}, 1000)');
  onTestFinished(() => void program.kill('SIGKILL'));
  await new Promise((resolve) => program.stdout.once('data', resolve));
  const pid = Number(await written(path.join(folder, 'pid')));
  program.kill('SIGKILL');
  await processGone(pid);
});

test('a program that ends without closing its runtime leaves nothing either', async () => {
  const folder = tempFolder();
  const cmd = 'nohup setsid sleep 60 > /dev/null 2>&1 & echo $! > pid';
  const program = startLibrary(folder, { cmd, login: false }, 'process.exit(0)');
  await new Promise((resolve) => program.once('exit', resolve));
  await processGone(Number(readFileSync(path.join(folder, 'pid'), 'utf8')));
});

/** A program that runs one command to its end, says so, and then does something else. */
function startLibrary(cwd: string, args: object, then: string): ChildProcessWithoutNullStreams {
  const library = path.join(import.meta.dirname, '../../dist/index.js');
  const script = `
    import { createRuntime } from ${JSON.stringify(library)};
    const runtime = createRuntime({ cwd: ${JSON.stringify(cwd)}, sandboxMode: 'danger-full-access' });
    const payload = { kind: 'function', arguments: ${JSON.stringify(JSON.stringify(args))} };
    await runtime.runCall({ name: 'exec_command', payload });
    process.stdout.write('ended', () => ${then});`;
  return spawn(process.execPath, ['--input-type=module', '-e', script]);
}

test(
  'a program that is killed while it starts many commands leaves nothing of them',
  { timeout: 300_000 },
  async () => {
    const library = path.join(import.meta.dirname, '../../dist/index.js');
    const script = `
    import { createRuntime } from ${JSON.stringify(library)};
    const runtime = createRuntime({ sandboxMode: 'danger-full-access' });
    const commands = ['sleep 60', 'setsid sleep 60 > out 2>&1 &', '(nohup sleep 60 > out 2>&1 &)', 'sleep 60 & sleep 60', 'true'];
    const run = async (index) => {
      const args = { cmd: commands[index % commands.length], login: false, yield_time_ms: 250, tty: index % 3 === 0 };
      await runtime.runCall({ name: 'exec_command', payload: { kind: 'function', arguments: JSON.stringify(args) } });
      await run(index + 4);
    };
    process.stdout.write('ready');
    await Promise.all([0, 1, 2, 3].map(run));`;
    const kills = process.env['TENON_DEEP'] === undefined ? 5 : 100;
    for (let kill = 0; kill < kills; kill += 1) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], { cwd: tempFolder() });
      await new Promise((resolve) => child.stdout.once('data', resolve));
      // Any moment will do; it is meant to be another one each time.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 400));
      child.kill('SIGKILL');
      await new Promise((resolve) => child.once('exit', resolve));
      const left = () =>
        ownedProcesses().filter(({ marks }) => marks.some(({ owner }) => owner.startsWith(`${child.pid}-`)));
      await until(() => left().length === 0);
    }
  },
);

test('a runtime that was not closed does not keep its program from ending', async () => {
  const library = path.join(import.meta.dirname, '../../dist/index.js');
  const script = `
    import { createRuntime } from ${JSON.stringify(library)};
    const runtime = createRuntime({ sandboxMode: 'danger-full-access' });
    await runtime.runCall({ name: 'shell', payload: { kind: 'function', arguments: '{"command":["true"]}' } });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore', cwd: tempFolder() });
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0);
});

test('commands that start at the same time have one keeper', async () => {
  const runtime = commandRuntime();
  const before = keepers();
  await Promise.all(Array.from({ length: 8 }, () => runtime.call('shell', { command: ['true'] })));
  expect(keepers().filter((pid) => !before.includes(pid))).toHaveLength(1);
});

test('a keeper that was killed is replaced with the next command', async () => {
  const runtime = commandRuntime();
  const before = keepers();
  await runtime.call('shell', { command: ['sh', '-c', 'nohup sleep 60 > /dev/null 2>&1 & echo $! > pid'] });
  const keeper = keepers().find((each) => !before.includes(each)) ?? 0;
  expect(keeper).toBeGreaterThan(0);
  process.kill(keeper, 'SIGKILL');
  // Not only dead, but noticed.
  await until(() => !existsSync(`/proc/${keeper}`));
  await runtime.call('shell', { command: ['true'] });
  expect(keepers().filter((pid) => pid !== keeper && !before.includes(pid))).toHaveLength(1);
  const pid = Number(readFileSync(path.join(runtime.folder, 'pid'), 'utf8'));
  await runtime.close();
  await processGone(pid);
});

test('a keeper that was killed does not keep a closing runtime from ending everything', async () => {
  const runtime = commandRuntime();
  const before = keepers();
  await runtime.call('shell', { command: ['sh', '-c', 'setsid sleep 60 > /dev/null 2>&1 & echo $! > pid'] });
  const keeper = keepers().find((each) => !before.includes(each)) ?? 0;
  expect(keeper).toBeGreaterThan(0);
  process.kill(keeper, 'SIGKILL');
  await processGone(keeper);
  const pid = Number(readFileSync(path.join(runtime.folder, 'pid'), 'utf8'));
  await runtime.close();
  await processGone(pid);
});

test('helpers are the system’s, whatever the path puts before them', async () => {
  const folder = tempFolder();
  for (const name of ['grep', 'rm', 'mkfifo', 'sh']) {
    writeFileSync(path.join(folder, name), `#!/bin/sh\necho ${name} >> ${folder}/ran\n`, { mode: 0o755 });
  }
  const args = JSON.stringify({ cmd: 'true', login: false, shell: '/bin/bash' });
  const { code } = await runCli(['call', 'exec_command', args, ...FULL], {
    cwd: folder,
    env: { PATH: `${folder}:${process.env['PATH']}` },
  });
  expect({ code, ran: existsSync(path.join(folder, 'ran')) }).toEqual({ code: 0, ran: false });
});

test('a process that is out of descriptors says so, and goes on when it has some again', () => {
  const library = path.join(import.meta.dirname, '../../dist/index.js');
  const script = `
    import fs from 'node:fs';
    import { createRuntime } from ${JSON.stringify(library)};
    const [warm, runtime] = [1, 2].map(() => createRuntime({ sandboxMode: 'danger-full-access', rules: { load: async () => [] } }));
    const call = async (which = runtime) => (await which.runCall({ name: 'shell', payload: { kind: 'function', arguments: '{"command":["echo","hi"]}' } })).answer.content[0].text;
    await call(warm);
    const taken = [];
    try { for (;;) taken.push(fs.openSync('/dev/null')); } catch {}
    const without = await call();
    // The spare pipes are used up on the way.
    for (let index = 0; index < 30; index += 1) await call(warm);
    for (const descriptor of taken) fs.closeSync(descriptor);
    const again = await call();
    await Promise.all([warm.close(), runtime.close()]);
    console.log(JSON.stringify({ without, again }));`;
  const command = 'ulimit -n 256; exec "$0" --input-type=module -e "$1"';
  const printed = execFileSync('bash', ['-c', command, process.execPath, script], {
    encoding: 'utf8',
    cwd: tempFolder(),
    timeout: 20_000,
  });
  expect(JSON.parse(printed)).toEqual({
    without: expect.stringMatching(/^shell failed: .*EMFILE/),
    again: expect.stringMatching(/^\{"output":"hi\\n"/),
  });
});

test('nothing of a runtime stays behind in the temporary folder', async () => {
  const folder = tempFolder();
  const program = startCli(['call', 'exec_command', '{"cmd":"echo $$ > pid; sleep 60","login":false}', ...FULL], {
    cwd: folder,
    env: { TMPDIR: folder },
  });
  await written(path.join(folder, 'pid'));
  program.kill('SIGKILL');
  const leftovers = () => readdirSync(folder).filter((name) => name.startsWith('tenon-'));
  await until(() => leftovers().length === 0);
});

/** The keepers of all runtimes in this process. */
function keepers(): readonly number[] {
  return readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8')
    .split(' ')
    .filter((pid) => pid !== '' && commandLine(pid).includes('tenon-keeper'))
    .map(Number);
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

describe('tenon ps and tenon kill', () => {
  test('list what runs, and end it with all it started', async () => {
    const folder = tempFolder();
    const program = startCommand('env -i sleep 61 & echo $! > child; echo $$ > pid; setsid sleep 62 & wait', folder);
    const ended = finished(program as never);
    const pid = Number(await written(path.join(folder, 'pid')));
    const child = Number(await written(path.join(folder, 'child')));
    const listed = (await runCli(['ps', '--json'])).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { pid: number; label: string; marks: { owner: string }[] });
    const command = listed.find((each) => each.pid === pid);
    expect(command?.marks.at(-1)?.owner).toMatch(new RegExp(`^${program.pid}-`));
    expect(listed.filter((each) => each.label === command?.label).map((each) => each.pid)).toContain(child);
    expect((await runCli(['ps'])).stdout).toMatch(
      new RegExp(`^OWNER +SESSION +PID .*\n(.*\n)*${program.pid} +${command?.label} +${pid} `),
    );
    const { code, stdout } = await runCli(['kill', command?.label ?? '']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^Ended \d+: [3-9] processes\.\n$/) });
    await processGone(child);
    expect((await ended).stdout).toContain('Process exited with code 137\n');
  });

  test('kill says when there is nothing to end, and never ends what is not a Tenon’s', async () => {
    expect(await runCli(['kill', '1'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'tenon: no running session 1; `tenon ps` lists them\n',
    });
    const { TENON_OWNER: _, ...env } = process.env;
    const stranger = spawn('sleep', ['60'], { detached: true, stdio: 'ignore', env });
    expect(await runCli(['kill', '--pid', String(stranger.pid)])).toEqual({
      code: 1,
      stdout: '',
      stderr: `tenon: no running process ${stranger.pid}; \`tenon ps\` lists them\n`,
    });
    stranger.kill();
  });

  test('kill --pid ends one process', async () => {
    const runtime = commandRuntime();
    await runtime.call('shell', { command: ['sh', '-c', 'nohup sleep 61 > /dev/null 2>&1 & echo $! > pid'] });
    const pid = readFileSync(path.join(runtime.folder, 'pid'), 'utf8').trim();
    expect(await runCli(['kill', '--pid', pid])).toEqual({ code: 0, stdout: `Ended ${pid}: 1 process.\n`, stderr: '' });
    await processGone(Number(pid));
  });

  test('kill without a name is bad usage', async () => {
    expect((await runCli(['kill'])).code).toBe(2);
  });
});

test('a call that leaves a session behind says that it ends with the program', async () => {
  const folder = tempFolder();
  const args = JSON.stringify({ cmd: 'echo $$ > pid; exec sleep 60', login: false, yield_time_ms: 250 });
  const { stdout, stderr, code } = await runCli(['call', 'exec_command', args, ...FULL], { cwd: folder });
  const session = /session ID (\d+)/.exec(stdout)?.[1];
  expect({ code, stderr }).toEqual({ code: 0, stderr: `tenon: session ${session} ends with this program\n` });
  await processGone(Number(readFileSync(path.join(folder, 'pid'), 'utf8')));
});
