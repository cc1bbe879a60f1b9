/** One real guest. Slow without acceleration, so it is part of the deep suite only; what it lacks is printed. */
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { absolutePath } from '../../../src/core/paths.js';
import type { Process, ProcessExit } from '../../../src/core/workspace.js';
import { createGuest } from '../../../src/sandbox/vm/guest.js';
import type { Guest, GuestOptions } from '../../../src/sandbox/vm/guest.js';
import { probeVm } from '../../../src/sandbox/vm/probe.js';
import { vmKernel } from '../../support/vm-kernel.js';
import { realPlace, resolvedPolicy } from './policies.js';

type Ran = { readonly exit: ProcessExit; readonly stdout: string; readonly stderr: string };

const base = mkdtempSync(path.join(tmpdir(), 'tenon-test-vm-'));
const root = path.join(base, 'root');
const LIMITS = { memoryBytes: 100e6, processes: 30, fileBytes: 1e6, cpuSeconds: 20 };
const options = await usableOptions();

afterAll(() => rmSync(base, { recursive: true, force: true }));

describe.skipIf(options === undefined)('in a guest', () => {
  let guest: Guest;
  beforeAll(async () => {
    if (options) guest = await createGuest(options);
  }, 120_000);
  afterAll(() => guest?.close());

  async function start(script: string, onOutput: (text: string, stream: string) => void = () => {}): Promise<Process> {
    const argv = ['/bin/sh', '-c', script];
    const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', GREETING: 'hello' };
    const listen = (chunk: Uint8Array, stream: string): void => onOutput(Buffer.from(chunk).toString(), stream);
    return guest.spawn({ argv, cwd: absolutePath(root), env, onOutput: listen });
  }

  async function run(script: string): Promise<Ran> {
    const heard = { stdout: '', stderr: '' };
    const running = await start(script, (text, stream) => {
      heard[stream as 'stdout' | 'stderr'] += text;
    });
    return { exit: await running.exit, ...heard };
  }

  test('a command prints on both streams and ends with its code', async () => {
    expect(await run('echo "$GREETING from $PWD"; echo oh >&2; exit 3')).toEqual({
      exit: { kind: 'exited', code: 3 },
      stdout: `hello from ${root}\n`,
      stderr: 'oh\n',
    });
  });

  test('several commands run at once, and much output arrives whole', async () => {
    const count = 'i=0; while [ $i -lt 2000 ]; do echo "line $i of a good many"; i=$((i+1)); done';
    const all = await Promise.all([run(count), run('echo one'), run(count)]);
    const whole = Array.from({ length: 2000 }, (_, index) => `line ${index} of a good many\n`).join('');
    expect(all.map(({ stdout }) => stdout)).toEqual([whole, 'one\n', whole]);
  });

  test('a program that is not there, and a folder that is not there, are exits', async () => {
    const command = { argv: ['nothing-like-it'], cwd: absolutePath(root), env: { PATH: '/bin' }, onOutput: () => {} };
    expect(await (await guest.spawn(command)).exit).toEqual({
      kind: 'not_started',
      reason: 'nothing-like-it: No such file or directory',
    });
    const elsewhere = { ...command, argv: ['ls'], cwd: absolutePath('/nowhere') };
    expect(await (await guest.spawn(elsewhere)).exit).toMatchObject({ kind: 'not_started' });
  });

  test('what is written in the root is on the host, and belongs to the caller', async () => {
    expect(await run('echo made >made && mkdir new && mv made new/')).toMatchObject({ exit: { code: 0 } });
    expect(readFileSync(path.join(root, 'new/made'), 'utf8')).toBe('made\n');
    const { uid, gid } = statSync(path.join(root, 'new/made'));
    expect([uid, gid]).toEqual([process.getuid?.(), process.getgid?.()]);
    writeFileSync(path.join(root, 'from-host'), 'of the host');
    expect(await run('cat from-host')).toMatchObject({ stdout: 'of the host' });
  });

  test.each([
    ['write outside of the root', `touch ${base}/outside`, /Read-only/],
    ['change modes outside of it', `chmod 777 ${base}`, /Read-only/],
    ['write through a link that leads out', `ln -s ${base} out && touch out/x`, /Read-only/],
    ['write to .git', 'echo x >.git/config', /Read-only/],
    ['rename .git', 'mv .git other', /busy/],
    ['rename the folder around another .git', 'mv sub other', /busy/],
    ['read a secret', `cat ${base}/secrets/key`, /No such file/],
    ['mount', 'mount -t tmpfs none /mnt', /permission denied|must be superuser/],
    ['unmount what protects', 'umount .git', /denied|not permitted|must be superuser/],
    ['set where core files go', 'echo x >/proc/sys/kernel/core_pattern', /Read-only|denied/],
    ['lift its limits', 'echo max >/sys/fs/cgroup/command-1/memory.max', /Read-only|nonexistent|denied/],
    ['look into the first process', 'cat /proc/1/environ', /denied/],
    ['write a file over the limit', 'head -c 2000000 /dev/zero >big', /limit exceeded|too large|^$/i],
  ])('a command cannot %s', async (_, script, reason) => {
    const ran = await run(script);
    expect(ran.exit).not.toEqual({ kind: 'exited', code: 0 });
    expect(ran.stderr).toMatch(reason);
  });

  test('a hidden file is empty, and the devices of the machine are not there', async () => {
    expect(await run('cat .env; ls /dev | grep -cE "^(vport|mem|port|kmsg|vda|hvc)"')).toMatchObject({ stdout: '0\n' });
  });

  test('memory and processes are bounded', async () => {
    expect(await run('head -c 150000000 /dev/zero | tail -c 140000000 | wc -c')).toMatchObject({ stdout: '0\n' });
    expect((await run('i=0; while [ $i -lt 40 ]; do sleep 60 & i=$((i+1)); done')).stderr).toMatch(/fork/);
  });

  test('there is no network but its own', async () => {
    const server = createServer((socket) => socket.end('host'));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const dial = `$s = pack('Sna4x8', 2, ${port}, pack('C4', 127, 0, 0, 1)); socket(S, 2, 1, 0); connect(S, $s) or die "$!\n"`;
    const abroad = dial.replace('127, 0, 0, 1', '203, 0, 113, 1');
    expect(await run(`perl -e '${dial}'`)).toMatchObject({ stderr: 'Connection refused\n' });
    expect(await run(`perl -e '${abroad}'`)).toMatchObject({ stderr: 'Network is unreachable\n' });
    expect(await run("sed '/^ *[a-z]*[0-9]*:/!d; s/:.*//' /proc/net/dev")).toMatchObject({
      stdout: expect.stringMatching(/^ *lo\n$/),
    });
    server.close();
  });

  test('it sees its own processes only, and what it leaves behind ends with it', async () => {
    await run('setsid sleep 1234 & exit 0');
    const { stdout } = await run('cat /proc/[0-9]*/comm | sort | uniq');
    expect(stdout.trim().split('\n').toSorted()).toEqual(expect.arrayContaining(['agent', 'cat']));
    expect(stdout).not.toContain('sleep');
  });

  test('a command is interrupted as a group, and can say something about it', async () => {
    const heard: string[] = [];
    const running = await new Promise<Process>((resolve, reject) => {
      const starting = start('trap "echo caught; exit 5" INT; echo on; while :; do sleep 1; done', (text) => {
        heard.push(text);
        if (text === 'on\n') void starting.then(resolve, reject);
      });
    });
    running.interrupt();
    expect(await running.exit).toEqual({ kind: 'exited', code: 5 });
    expect(heard.join('')).toBe('on\ncaught\n');
  });

  test('a command that will not stop is ended with all that it started', async () => {
    const running = await start('trap "" INT TERM; setsid sleep 4321 & while :; do sleep 1; done');
    await running.end();
    expect(await running.exit).toEqual({ kind: 'signalled', signal: 'SIGKILL', number: 9 });
    expect((await run('cat /proc/[0-9]*/cmdline')).stdout).not.toContain('4321');
  });

  test('the guest leaves no files behind, and closing it no process', async () => {
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('tenon-vm-'))).toEqual([]);
    const running = await start('sleep 600');
    expect(childrenNamed(/qemu|virtiofsd/)).not.toEqual([]);
    await guest.close();
    expect(await running.exit).toMatchObject({ kind: 'signalled' });
    expect(childrenNamed(/qemu|virtiofsd/)).toEqual([]);
    expect(await (await start('true')).exit).toMatchObject({ kind: 'not_started' });
  });
});

describe.skipIf(options === undefined)('a guest that cannot be', () => {
  test('started says what its console said last, and leaves nothing', async () => {
    const modules = path.join(base, 'modules');
    mkdirSync(modules);
    const names = ['virtio_pci.ko', 'virtiofs.ko', 'virtio_console.ko'];
    for (const name of names) writeFileSync(path.join(modules, name), 'not a module');
    writeFileSync(path.join(modules, 'modules.dep'), names.map((name) => `${name}:\n`).join(''));
    writeFileSync(path.join(modules, 'modules.builtin'), '');
    const starting = createGuest({ ...(options as GuestOptions), modules });
    await expect(starting).rejects.toThrow(/did not start: (.|\n)*insmod: can't insert/);
    expect(childrenNamed(/qemu|virtiofsd/)).toEqual([]);
  });

  test('served any longer is over', async () => {
    const guest = await createGuest(options as GuestOptions);
    const command = { argv: ['/bin/sleep', '600'], cwd: absolutePath(root), env: {}, onOutput: () => {} };
    const running = await guest.spawn(command);
    for (const status of childrenNamed(/virtiofsd/)) process.kill(Number.parseInt(status, 10), 'SIGKILL');
    expect(await running.exit).toMatchObject({ kind: 'signalled' });
    await guest.close();
    expect(childrenNamed(/qemu|virtiofsd/)).toEqual([]);
  });

  test('ready in time is ended', async () => {
    const starting = createGuest({ ...(options as GuestOptions), bootMs: 1 });
    await expect(starting).rejects.toThrow('it was not ready after 1 ms');
    expect(childrenNamed(/qemu|virtiofsd/)).toEqual([]);
  });
});

/** Undefined, and the reason printed, where a guest cannot be had. */
async function usableOptions(): Promise<GuestOptions | undefined> {
  if (process.env['TENON_DEEP'] === undefined) return skipped('virtual machines are tried in the deep suite');
  const kernel = vmKernel(mkdtempSync(path.join(base, 'kernel-')));
  if (kernel.kind === 'missing') return skipped(kernel.reason);
  const probe = await probeVm({ kernel: kernel.kernel });
  if (probe.kind !== 'works') return skipped(probe.reason);
  return { kernel: kernel.kernel, modules: probe.modules, accelerator: probe.accelerator, resolved: makeWorkspace() };
}

/** The folder is removed here: where all is skipped, nothing runs afterwards. */
function skipped(reason: string): undefined {
  rmSync(base, { recursive: true, force: true });
  process.stderr.write(`skipped: ${reason}\n`);
}

function makeWorkspace(): GuestOptions['resolved'] {
  for (const folder of ['root/.git', 'root/sub/.git', 'secrets'])
    mkdirSync(path.join(base, folder), { recursive: true });
  writeFileSync(path.join(base, 'secrets/key'), 'a secret');
  writeFileSync(path.join(root, '.env'), 'a secret');
  const place = (name: string): ReturnType<typeof realPlace> => realPlace(path.join(base, name));
  return resolvedPolicy({
    writable: [place('root')],
    pinned: [place('root/sub')],
    protected: [place('root/.git'), place('root/sub/.git')],
    hidden: [place('secrets'), place('root/.env')],
    limits: LIMITS,
  });
}

/** Running children of this process, by what they are called. */
function childrenNamed(name: RegExp): readonly string[] {
  const isChild = new RegExp(String.raw`\) [^ZX] ${process.pid} `);
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(statusOf)
    .filter((status) => name.test(status) && isChild.test(status));
}

function statusOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // It has ended since its name was read.
    return '';
  }
}
