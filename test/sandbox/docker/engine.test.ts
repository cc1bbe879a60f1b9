/** Containers of a real engine. Slow, so only in the deep lane; without an engine it is skipped, and says why. */
import { spawn as spawnChild } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';

import { createContainer } from '../../../src/sandbox/docker/container.js';
import type { Container } from '../../../src/sandbox/docker/container.js';
import { runEngine } from '../../../src/sandbox/docker/run-engine.js';
import type { ContainerCommand } from '../../../src/sandbox/docker/start-command.js';
import type { ResolvedPolicy } from '../../../src/sandbox/policy.js';
import { startTestEngine } from '../../support/docker-engine.js';
import type { TestEngine } from '../../support/docker-engine.js';
import { tempFolder } from '../../support/temp-folder.js';
import { policyOf, realPlace } from './policies.js';

const deep = process.env['TENON_DEEP'] !== undefined;
const found: TestEngine = deep
  ? await startTestEngine()
  : { kind: 'skipped', reason: 'containers are tried in the deep lane only' };
// oxlint-disable-next-line no-console -- nothing is skipped in silence
if (deep && found.kind === 'skipped') console.warn(`containers are not tested: ${found.reason}`);

const ENV = { PATH: '/usr/local/bin:/usr/bin:/bin' };
const ROOT = process.getuid?.() === 0;

describe.skipIf(found.kind === 'skipped')('a container', () => {
  if (found.kind === 'skipped') return;
  const { engine, file, env, stop } = found;
  afterAll(stop);

  async function open(policy: Partial<ResolvedPolicy> = {}) {
    const container = await createContainer({ policy: policyOf(policy), engine, file, env, owner: 'test' });
    onTestFinished(() => container.close());
    return { container, run: runnerOf(container) };
  }

  function runnerOf(container: Container) {
    return async (script: string, more: Partial<ContainerCommand> = {}) => {
      const said = { stdout: '', stderr: '' };
      const onOutput: ContainerCommand['onOutput'] = (chunk, stream) => (said[stream] += Buffer.from(chunk).toString());
      const argv = ['sh', '-c', script];
      const command = await container.spawn({ argv, cwd: '/', env: ENV, onOutput, ...more });
      return { exit: await command.exit, ...said };
    };
  }

  async function containers(): Promise<string> {
    const answer = await runEngine({ file, env }, ['ps', '--all', '--quiet', '--filter', 'label=tenon'], {
      ms: 30_000,
    });
    return answer.kind === 'ended' ? answer.output : answer.kind;
  }

  /** A project with a repository, one in a folder of it, and a secret. */
  function project() {
    const root = tempFolder();
    for (const name of ['.git/hooks', 'sub/.git', 'keys']) mkdirSync(path.join(root, name), { recursive: true });
    for (const name of ['.git/config', 'sub/.git/config', 'keys/private', '.env'])
      writeFileSync(path.join(root, name), 'old');
    const at = (name: string) => realPlace(path.join(root, name));
    const policy = {
      writable: [realPlace(root)],
      pinned: [at('sub')],
      protected: [at('.git'), at('sub/.git')],
      hidden: [at('.env'), at('keys'), realPlace('/etc/shadow')],
    };
    return { root, policy };
  }

  test('gives streams and exit codes as they are', async () => {
    const { run } = await open();
    expect(await run('echo out; echo err >&2; exit 137')).toEqual({
      exit: { kind: 'exited', code: 137 },
      stdout: 'out\n',
      stderr: 'err\n',
    });
    expect((await run('kill -9 $$')).exit).toEqual({ kind: 'signalled', signal: 'SIGKILL', number: 9 });
    expect((await run('', { argv: ['no-such-program'] })).exit).toMatchObject({ kind: 'not_started' });
  });

  test('runs the programs of the host as the caller, with exactly the given variables and descriptors', async () => {
    const { run } = await open();
    const { stdout } = await run(
      'id -u; id -g; cat /proc/$$/environ; ls /proc/$$/fd; grep -E "CapEff|NoNewPrivs" /proc/$$/status',
    );
    expect(stdout).toBe(
      `${process.getuid?.()}\n${process.getgid?.()}\nPATH=${ENV.PATH}\0` +
        '0\n1\n2\nCapEff:\t0000000000000000\nNoNewPrivs:\t1\n',
    );
  });

  test('takes any words', async () => {
    const { run } = await open();
    const words = ['', "'", '"', '\n\n', '$(id)', '\\', '*', 'é\u0081', 'x'.repeat(100_000)];
    const { stdout } = await run('', { argv: ['printf', '%s\\0', ...words] });
    expect(stdout).toBe(words.map((word) => `${word}\0`).join(''));
  });

  test('runs many commands at once', async () => {
    const { run } = await open();
    const results = await Promise.all(Array.from({ length: 20 }, (_, index) => run(`echo ${index}; exit ${index}`)));
    expect(results.map(({ exit, stdout }) => ({ exit, stdout }))).toEqual(
      results.map((_, index) => ({ exit: { kind: 'exited', code: index }, stdout: `${index}\n` })),
    );
  });

  test('lets write what is writable, and nothing else', async () => {
    const { root, policy } = project();
    const { run } = await open(policy);
    const tries = [
      ...['echo new >file', 'echo x >/tmp/x', 'echo x >/var/tmp/x', 'echo x >/dev/shm/x'].map((each) => [each, 'yes']),
      ...['>/usr/x', '>/etc/x', '>/x', '>/root/x', '>/opt/x', '>/.tenon/x'].map((each) => [each, 'no']),
      ...['>.git/config', '>.git/hooks/pre-commit', 'mv .git git', 'rm -r .git', 'touch .git'].map((each) => [
        each,
        'no',
      ]),
      ...['>sub/.git/config', 'mv sub other', 'chmod 777 .git', 'chmod 777 /usr/bin/env'].map((each) => [each, 'no']),
      ...['ln /usr/bin/env env', 'echo x >link'].map((each) => [each, 'no']),
      ...['echo x >/.tenon/agent', 'chmod 777 /.tenon/agent', 'rm /.tenon/status'].map((each) => [each, 'no']),
    ] as const;
    symlinkSync('/etc/passwd', path.join(root, 'link'));
    const script = tries.map(([each]) => `(${each}) 2>/dev/null && echo yes || echo no`).join('\n');
    const { stdout } = await run(script, { cwd: root });
    const answers = stdout.trim().split('\n');
    expect(tries.map(([each], index) => [each, answers[index]])).toEqual(tries);
    expect(readFileSync(path.join(root, 'file'), 'utf8')).toBe('new\n');
    expect(readFileSync(path.join(root, '.git/config'), 'utf8')).toBe('old');
  });

  test('does not show what is hidden', async () => {
    const { root, policy } = project();
    const { run } = await open(policy);
    const script =
      'for f in .env keys/private /etc/shadow; do cat $f && echo READ; done; ls keys && echo LISTED; ls /home /root';
    const { stdout } = await run(script, { cwd: root });
    expect(stdout).toBe('/home:\n\n/root:\n');
    const change = 'chmod 700 keys || rm -rf keys || mv keys k || umount keys || echo kept';
    expect((await run(change, { cwd: root })).stdout).toBe('kept\n');
  });

  test('keeps the settings of the kernel read-only', async () => {
    const { run } = await open();
    const files = ['/proc/sys/kernel/core_pattern', '/proc/sysrq-trigger', '/proc/1/mem', '/sys/kernel/uevent_helper'];
    const { stdout } = await run(files.map((name) => `(: >>${name}) 2>/dev/null && echo ${name}`).join('\n'));
    // The first process is one of its own, and of the same user.
    expect(stdout.replace('/proc/1/mem\n', '')).toBe('');
    expect((await run('mount -t tmpfs x /mnt || unshare -m true || echo refused')).stdout).toBe('refused\n');
  });

  test('has no network but its own loopback, and sees no process of the host', async () => {
    const { run } = await open();
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { readonly port: number };
    const { stdout } = await run(
      `ls /sys/class/net; bash -c 'echo </dev/tcp/127.0.0.1/${port}' && echo connected; kill -0 ${process.pid} && echo seen`,
    );
    expect(stdout).toBe('lo\n');
  });

  test('ends a command with its daemons, and no other one', async () => {
    const { container, run } = await open();
    const other = await container.spawn({ argv: ['sleep', '100'], cwd: '/', env: ENV, onOutput: () => {} });
    let heard = (): void => {};
    const started = new Promise<void>((resolve) => (heard = resolve));
    const script =
      '(setsid sh -c "trap \\"\\" TERM; sleep 101; sleep 101" &) ; setsid -f sleep 102; echo up; exec sleep 103';
    const command = await container.spawn({
      argv: ['sh', '-c', script],
      cwd: '/',
      env: { ...ENV, MARK: 'one' },
      mark: 'MARK=one',
      onOutput: () => heard(),
    });
    await started;
    await command.end();
    expect(await command.exit).toMatchObject({ kind: 'signalled', signal: 'SIGKILL' });
    const left = 'for f in /proc/[0-9]*/cmdline; do tr "\\0" " " <$f | grep "^sleep"; done';
    expect((await run(left)).stdout).toBe('sleep 100 \n');
    other.interrupt();
    expect(await other.exit).toMatchObject({ kind: 'signalled', signal: 'SIGINT' });
  });

  test('outlives a command that kills everything it sees', async () => {
    const { run } = await open();
    for (let round = 0; round < 5; round += 1) {
      expect((await run('kill -9 -1')).exit).toMatchObject({ kind: 'signalled' });
      expect((await run('echo still here')).stdout).toBe('still here\n');
    }
  });

  test('holds to its limits', async () => {
    if (!engine.limits.includes('memoryBytes')) return;
    const { run } = await open({ limits: { memoryBytes: 64_000_000, processes: 30, cpuSeconds: 1, fileBytes: 4096 } });
    expect((await run('exec head -c 300m /dev/zero | tail -c 300m >/dev/null; echo $?')).stdout).not.toBe('0\n');
    expect((await run('while :; do :; done')).exit).toMatchObject({ kind: 'signalled' });
    expect((await run('head -c 10000 /dev/zero >/tmp/big')).exit).not.toEqual({ kind: 'exited', code: 0 });
  });

  test('has a terminal by the engine, which can be ended', async () => {
    const { container, run } = await open();
    const terminal = await container.terminal({
      argv: ['sh', '-c', 'tty; env; exec sleep 104'],
      cwd: '/tmp',
      env: { A: 'b' },
    });
    const child = spawnChild('script', ['-qec', terminal.argv.join(' '), '/dev/null'], { env });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    await new Promise<void>((resolve) => {
      child.stdout.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        if (said.includes('PWD=')) resolve();
      });
    });
    expect(said.replaceAll('\r', '')).toBe('/dev/pts/0\nA=b\nPWD=/tmp\n');
    const ended = new Promise((resolve) => child.once('close', resolve));
    await terminal.end();
    await ended;
    const left = 'for f in /proc/[0-9]*/cmdline; do tr "\\0" " " <$f | grep "^sleep"; done';
    expect((await run(left)).stdout).toBe('');
  });

  test('is refused for a place that is not what it was', async () => {
    const place = realPlace(tempFolder());
    await expect(open({ writable: [{ ...place, inode: place.inode + 1 }] })).rejects.toThrow('is not what it was');
    await expect(open({ writable: [{ ...place, path: realPlace('/usr').path }] })).rejects.toThrow(
      'is not what it was',
    );
  });

  test('is gone when it is closed, with all that runs in it', async () => {
    const { container } = await open();
    const command = await container.spawn({ argv: ['sleep', '100'], cwd: '/', env: ENV, onOutput: () => {} });
    await container.close();
    expect(await command.exit).toEqual({ kind: 'signalled', signal: 'SIGKILL', number: 9 });
    expect(await containers()).toBe('');
    expect(await runnerOf(container)('true')).toMatchObject({ exit: { kind: 'not_started' } });
  });

  test('is gone when the runtime is killed', async () => {
    const folder = tempFolder();
    const script = path.join(folder, 'runtime.mts');
    const from = (name: string) => JSON.stringify(path.join(import.meta.dirname, '../../..', name));
    writeFileSync(
      script,
      `import { createContainer } from ${from('src/sandbox/docker/container.ts')};
const container = await createContainer(${JSON.stringify({ policy: policyOf(), engine, file, owner: 'test' })});
await container.spawn({ argv: ['sleep', '100'], cwd: '/', env: ${JSON.stringify(ENV)}, onOutput: () => {} });
process.stdout.write('up');
`,
    );
    const tsx = path.join(import.meta.dirname, '../../../node_modules/tsx/dist/loader.mjs');
    const runtime = spawnChild(process.execPath, ['--import', tsx, script], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => runtime.stdout.once('data', resolve));
    expect(await containers()).not.toBe('');
    runtime.kill('SIGKILL');
    // Nobody tells when; one that stays lets the test run into its own time limit.
    while ((await containers()) !== '') await setImmediate();
  });

  test.runIf(ROOT)('may be one of a root that keeps no right of root', async () => {
    const { run } = await open();
    expect((await run('chown 1:1 /tmp 2>/dev/null || echo refused')).stdout).toBe('refused\n');
  });
});
